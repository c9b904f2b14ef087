// Texts of HLO modules.
#include <cstddef>
#include <cstdint>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/program/join_program.hpp"
#include "fuzz/described.hpp"

namespace {

using namespace hbm::imported;
using hbm::test::expect;

void expect_consistent(const xla::hlo_module& module) {
    const xla::module_sums sums = xla::sums_of(module);
    expect(sums.aliases <= sums.outputs, "aliases are outputs");
    expect(sums.at_least() >= sums.arguments, "a module holds its arguments");
    for (const xla::program_alias& alias : module.aliases)
        expect(alias.output < module.outputs.size() && alias.argument < module.arguments.size(),
               "an alias joins an output and an argument");
    const donation_question question = xla::donation_question_of(module);
    const donation_question followed = follow(question, advise_donation(question));
    expect(sums.mismatches != 0 || held_bytes(followed) <= held_bytes(question), "advice saves memory");
    (void)donation_text(question);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = hbm::test::text_of(data, size);
    (void)recognise(text);
    const auto module = xla::read_module(text, "x");
    if (module)
        expect_consistent(*module);
    else
        expect(module.error().line != 0 && module.error().column <= size + 1, "an error lies in the text");
    hbm::test::expect_description(xla::describe_module(text, "x"));
    xla::program_files files;
    if (!xla::add_file(files, file_kind::module, text, "x")) (void)xla::join_program(files);
    return 0;
}
