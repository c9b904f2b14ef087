// Other files of an XLA dump: the buffer assignment, the memory usage report, the configuration of a module.
#include <cstddef>
#include <cstdint>

#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/assignment/memory_report.hpp"
#include "compare/read/xla/module/module_config.hpp"
#include "compare/read/xla/program/join_program.hpp"
#include "fuzz/described.hpp"

namespace {

using namespace hbm::imported;

template <class Value>
void describe(const reading<Value>& read) {
    if (!read) return hbm::test::expect_error(read.error());
    hbm::test::expect_description(xla::describe(*read));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = hbm::test::text_of(data, size);
    const auto assignment = xla::read_assignment(text, "x");
    describe(assignment);
    if (assignment) {
        for (const xla::buffer_value& value : assignment->values)
            hbm::test::expect(value.allocation < assignment->allocations.size() &&
                                  value.offset + value.bytes <= assignment->allocations[value.allocation].size.bytes,
                              "a value lies inside its allocation");
    }
    describe(xla::read_memory_report(text, "x"));
    describe(xla::read_module_config(text, "x"));
    for (const file_kind kind : {file_kind::assignment, file_kind::report, file_kind::config}) {
        xla::program_files files;
        if (!xla::add_file(files, kind, text, "x")) (void)xla::join_program(files);
    }
    return 0;
}
