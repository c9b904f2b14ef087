// expect: the programs and buffers do not fit into the memory
// expect: missing_bytes<4294967296>
#include <hbm/hbm.hpp>
#include <hbm/must_fit.hpp>

using namespace hbm::literals;

inline constexpr hbm::memory_spec memory{.name = "some", .capacity = 12_GiB};
inline constexpr hbm::buffer_spec caches{.name = "cache", .bytes = 3_GiB, .count = 4};
inline constexpr hbm::start_spec start{.buffers = {&caches, 1}};
static_assert(hbm::must_fit<hbm::manager<hbm::best_fit>, memory, start>());

static_assert(hbm::must_fit<hbm::manager<hbm::buddy>, memory, start>());
