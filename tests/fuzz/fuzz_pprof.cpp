// Device memory profiles of JAX, unpacked.
#include <cstddef>
#include <cstdint>

#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    const std::string_view text = test::text_of(data, size);
    if (const auto profile = imported::read_pprof(text, "x"); profile)
        for (const std::string_view device : {"", "TPU_1"})
            test::expect_trace(imported::trace_of(*profile, "x", device));
    test::expect_description(imported::describe_profile(text, "x"));
    return 0;
}
