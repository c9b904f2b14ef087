// Traces in each grammar: rows that are right, or an error.
#include <cstddef>
#include <cstdint>

#include "compare/read/csv/read.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    test::expect_value_or_error([&] {
        const trace::workload read = trace::read_text(test::text_of(data, size), "x");
        test::expect(read.lines.size() == read.rows.size(), "each row has a line");
        test::expect(read.times.empty() || read.times.size() == read.rows.size(), "each row has a time, or none has");
    });
    return 0;
}
