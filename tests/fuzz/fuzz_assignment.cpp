// The buffer assignment of an XLA dump, alone and next to a module.
#include <cstddef>
#include <cstdint>
#include <span>

#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/program/join_program.hpp"
#include "compare/workloads/program_workload.hpp"
#include "compare/xla/dump_samples.hpp"
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
    xla::program_files files;
    if (!xla::add_file(files, file_kind::assignment, text, "x")) (void)xla::join_program(files);
    if (size % 4 != 0) return 0;
    // Next to a module, whatever the text says.
    (void)xla::add_file(files, file_kind::module, dump_samples::module_text, "module");
    const auto joined = xla::join_program(files);
    hbm::test::expect(static_cast<bool>(joined), "a module is a program");
    const scheduled_program step{.what = *joined, .name = "step", .runs = 2, .every = 1};
    hbm::test::expect(!hbm::compare::workload_of(std::span(&step, 1), "w").rows.empty(), "a program is a workload");
    return 0;
}
