// Traces in each grammar: a workload that is written comes back.
#include <cstddef>
#include <cstdint>

#include "compare/read/csv/read.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    const trace::read_result read = trace::read_text(test::text_of(data, size), "x");
    if (!read) return test::expect_error(read.error()), 0;
    const std::string written = trace::to_csv(*read);
    const trace::read_result back = trace::read_text(written, "x");
    test::expect(back && trace::to_csv(*back) == written, "a workload that is written comes back");
    return 0;
}
