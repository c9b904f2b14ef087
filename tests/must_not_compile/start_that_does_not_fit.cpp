// expect: the programs and buffers do not fit into the memory
// expect: missing_bytes<1048576>
#include <hbm/hbm.hpp>
#include <hbm/must_fit.hpp>

using namespace hbm::literals;

inline constexpr hbm::buffer_spec weights{.name = "weights", .bytes = 12_GiB + 768_MiB};
inline constexpr hbm::program_spec step{.name = "step", .code = 1_MiB, .scratch = 3_GiB};

static_assert(hbm::must_fit<hbm::tpu::runtime_memory, hbm::tpu::v5e, weights, step>());
