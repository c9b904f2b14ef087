// Samples of a memory's use: tables, and logs in which they were printed.
#include <cstddef>
#include <cstdint>

#include "compare/growth/samples_growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_log.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    const std::string_view text = test::text_of(data, size);
    const std::string log = imported::samples_in_log(text);
    for (const std::string_view table : {text, std::string_view(log)}) {
        const imported::samples_result read = imported::read_samples(table, "x");
        if (read.error) test::expect_error(*read.error);
        for (const imported::sample_series& device : read.devices)
            test::expect_json(to_json(imported::growth_of(device, "x")));
    }
    return 0;
}
