// Decisions while compiling: does the model fit, which managers are there, and which of them needs the least memory.
#include <hbm/better.hpp>
#include <hbm/grid.hpp>
#include <hbm/hbm.hpp>
#include <hbm/must_fit.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>

#include <concepts>
#include <cstdio>

using namespace hbm::literals;

// The build fails when the model no longer fits, and says how many bytes are missing. Try 13_GiB:
// "the memory is too small for the programs and buffers", and missing_bytes<457179136>.
inline constexpr hbm::buffer_spec weights{.name = "weights", .bytes = 12_GiB};
inline constexpr hbm::program_spec step{.name = "train_step", .code = 180_MiB, .scratch = 3_GiB};
static_assert(hbm::must_fit<hbm::tpu::runtime_memory, hbm::tpu::v5e, weights, step>());

// Sizes and lifetimes of a small workload, and how much memory it needs under a manager.
inline constexpr hbm::timed_buffer layers[] = {
    {.bytes = 2_MiB, .from = 0, .until = 1}, {.bytes = 1_MiB, .from = 0, .until = 9},
    {.bytes = 1_MiB, .from = 0, .until = 1}, {.bytes = 1_MiB, .from = 0, .until = 9},
    {.bytes = 1_MiB, .from = 1, .until = 9}, {.bytes = 2_MiB, .from = 1, .until = 9},
};
inline constexpr hbm::timed_workload training{.buffers = layers};

using best_memory = hbm::manager<hbm::best_fit>;
using first_memory = hbm::manager<hbm::first_fit>;
static_assert(hbm::bytes_needed<best_memory, training>() == 5_MiB &&
              hbm::bytes_needed<first_memory, training>() > 5_MiB);
using chosen = hbm::better_of<first_memory, best_memory, training>;

// Every combination of these policies is a type.
using candidates = hbm::grid<hbm::placements<hbm::best_fit, hbm::first_fit, hbm::buddy>,
                             hbm::evictions<hbm::never_evict, hbm::evict_lru>>;

// The one that needs the least, from left to right.
template <class... Managers>
struct best_of;
template <class Only>
struct best_of<hbm::manager_list<Only>> {
    using type = Only;
};
template <class A, class B, class... Rest>
struct best_of<hbm::manager_list<A, B, Rest...>> : best_of<hbm::manager_list<hbm::better_of<A, B, training>, Rest...>> {
};

int main() {
    candidates::for_each([]<class Manager>() {
        std::printf("%-32s needs %7llu bytes\n", Manager::full_name.c_str(),
                    static_cast<unsigned long long>(hbm::bytes_needed<Manager, training>()));
    });
    using winner = best_of<candidates>::type;
    std::printf("chosen: %s\n", winner::full_name.c_str());

    chosen memory{{.name = "just enough", .capacity = hbm::bytes_needed<chosen, training>()}};
    const bool as_expected = std::same_as<chosen, best_memory> && std::same_as<winner, best_memory> &&
                             candidates::size == 6 && memory.capacity_bytes() == 5_MiB;
    return as_expected ? 0 : 1;
}
