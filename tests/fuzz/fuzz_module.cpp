// Texts of HLO modules.
#include <cstddef>
#include <cstdint>

#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/program/join_program.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm::imported;
    const std::string_view text = hbm::test::text_of(data, size);
    hbm::test::expect_description(xla::describe_module(text, "x"));
    xla::program_files files;
    if (!xla::add_file(files, file_kind::module, text, "x")) (void)xla::join_program(files);
    return 0;
}
