// Samples of a memory's use: tables, and logs in which they were printed.
#include <cstddef>
#include <cstdint>

#include "compare/growth/growth.hpp"
#include "compare/read/samples/samples.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    const std::string_view text = test::text_of(data, size);
    (void)imported::looks_like_samples(text);
    std::vector<imported::sample_series> all =
        imported::series_of(imported::log_samples(imported::plain_text_of(text)));
    test::expect_value_or_error([&] {
        for (imported::sample_series& device : imported::read_samples(text, "x")) all.push_back(std::move(device));
    });
    for (const imported::sample_series& device : all) {
        const growth_summary growth = imported::growth_of(device, "x");
        test::expect(growth.samples == device.samples.size(), "every sample counts");
    }
    return 0;
}
