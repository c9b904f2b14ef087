// Device memory profiles of JAX, unpacked.
#include <cstddef>
#include <cstdint>

#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    const std::string_view text = test::text_of(data, size);
    for (const std::string_view device : {"", "TPU_1"})
        test::expect_value_or_error([&] {
            const imported::memory_profile profile = imported::read_pprof(text, "x");
            test::expect_description(imported::describe(profile));
            (void)imported::trace_of(profile, "x", device);
        });
    return 0;
}
