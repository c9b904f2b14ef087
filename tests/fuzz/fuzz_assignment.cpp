// The buffer assignment of an XLA dump, alone and next to a module.
#include <cstddef>
#include <cstdint>
#include <span>

#include "compare/read/xla/program.hpp"
#include "compare/workloads/program_workload.hpp"
#include "compare/xla/dump_samples.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm::imported;
    const std::string_view text = hbm::test::text_of(data, size);
    program_files files;
    hbm::test::expect_value_or_error([&] {
        const assignment read = read_assignment(text, "x");
        hbm::test::expect_description(describe(read));
        for (const buffer_value& value : read.values)
            hbm::test::expect(value.allocation < read.allocations.size() &&
                                  value.offset + value.bytes <= read.allocations[value.allocation].bytes,
                              "a value lies inside its allocation");
        add_file(files, file_kind::assignment, text, "x");
        (void)join_program(files);
    });
    if (size % 4 != 0) return 0;
    // Next to a module, whatever the text says, a program is a workload.
    add_file(files, file_kind::module, dump_samples::module_text, "module");
    const scheduled_program step{.what = join_program(files), .name = "step", .runs = 2, .every = 1};
    (void)hbm::compare::workload_of(std::span(&step, 1), "w");
    return 0;
}
