// expect: the programs and buffers fit into no memory
#include <hbm/hbm.hpp>
#include <hbm/must_fit.hpp>

inline constexpr hbm::program_spec step{.name = "step", .code = ~std::uint64_t{0}};

static_assert(hbm::must_fit<hbm::tpu::runtime_memory, hbm::tpu::v5e, step>());
