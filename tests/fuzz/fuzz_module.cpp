// Texts of HLO modules.
#include <cstddef>
#include <cstdint>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/donation.hpp"
#include "compare/read/xla/module.hpp"
#include "compare/read/xla/program.hpp"
#include "fuzz/described.hpp"

namespace {

using namespace hbm::imported;
using hbm::test::expect;

void expect_consistent(const hlo_module& module) {
    const module_sums sums = sums_of(module);
    expect(sums.aliases <= sums.outputs, "aliases are outputs");
    expect(sums.at_least() >= sums.arguments, "a module holds its arguments");
    for (const program_alias& alias : module.aliases)
        expect(alias.output < module.outputs.size() && alias.argument < module.arguments.size(),
               "an alias joins an output and an argument");
    const donation_question question = donation_question_of(module);
    const donation_question followed = follow(question, advise_donation(question));
    expect(sums.mismatches != 0 || held_bytes(followed) <= held_bytes(question), "advice saves memory");
    (void)donation_text(question);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = hbm::test::text_of(data, size);
    (void)recognise(text);
    hbm::test::expect_value_or_error([&] {
        try {
            const hlo_module module = read_module(text, "x");
            expect_consistent(module);
            hbm::test::expect_description(describe(module));
        } catch (const hbm::trace::read_error& error) {
            expect(error.line != 0 && error.column <= size + 1, "an error lies in the text");
            throw;
        }
        program_files files;
        add_file(files, file_kind::module, text, "x");
        (void)join_program(files);
    });
    return 0;
}
