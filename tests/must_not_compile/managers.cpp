// Managers, their calls, and the headers that are built on them. tests/CMakeLists.txt tells how to read the sections.

#include <hbm/device/host_device.hpp>
#include <hbm/hbm.hpp>

using namespace hbm::literals;

#ifdef older_language
// expect: hbm is C++20: compile with -std=c++20
// standard: c++17
#endif

#ifdef manager_complete
// compiles
hbm::manager<hbm::best_fit, hbm::evict_lru, hbm::donate_same_size> memory;
#endif

#ifdef run_of_braces
// compiles
auto run(hbm::manager<hbm::best_fit>& memory, hbm::program step, hbm::buffer input) {
    return memory.run(step, {.inputs = {input}, .outputs = {512}});
}
#endif

#ifdef manager_without_the_header_of_a_policy
// expect: a policy is only declared: include its header
hbm::manager<hbm::first_fit> memory;
#endif

#ifdef run_spec_of_sizes
// expect: use the list's type, such as std::vector<hbm::output>
auto run(hbm::manager<hbm::best_fit>& memory, hbm::program step, const std::array<std::uint64_t, 2>& sizes) {
    return memory.run(step, {.outputs = sizes});
}
#endif

#ifdef run_spec_of_lists_that_live
// compiles
auto run(hbm::manager<hbm::best_fit>& memory, hbm::program step, const hbm::buffer (&inputs)[2]) {
    const hbm::run_spec spec{.inputs = inputs};
    return memory.run(step, spec);
}
#endif

#ifdef run_spec_of_braces_in_a_variable
// expect: will be destroyed at the end of the full-expression
// compiler: Clang
#pragma clang diagnostic error "-Wdangling"
auto run(hbm::manager<hbm::best_fit>& memory, hbm::program step, hbm::buffer input) {
    const hbm::run_spec spec{.inputs = {input}, .outputs = {512}};
    return memory.run(step, spec);
}
#endif

#ifdef manager_of_int
// expect: a placement has a name
hbm::manager<int> memory;
#endif

#ifdef manager_with_policies_swapped
// expect: the second policy is a donation policy; the order is placement, eviction, donation, relief, device, observer
hbm::manager<hbm::best_fit, hbm::donate_same_size, hbm::evict_lru> memory;
#endif

#ifdef manager_with_device_for_relief
// expect: the fourth policy is a device; the order is placement, eviction, donation, relief, device, observer
hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate, hbm::host_device> memory;
#endif

#ifdef manager_from_a_number
// expect: memory is described by a memory_spec: {.capacity = bytes}
hbm::manager<hbm::best_fit> memory(1 << 20);
#endif

#ifdef options_of_an_absent_policy
// expect: name the policy in the manager's type
hbm::manager<hbm::best_fit> memory{hbm::tpu::v5e, {.eviction = hbm::evict_lru{}}};
#endif

#ifdef options_of_the_policies
// compiles
hbm::manager<hbm::best_fit, hbm::evict_lru> all{hbm::tpu::v5e, {.eviction = hbm::evict_lru{}, .salt = 7}};
hbm::manager<hbm::best_fit> none{hbm::tpu::v5e, {}};
hbm::manager<hbm::best_fit> salt{hbm::tpu::v5e, {.salt = 7}};
#endif

#ifdef follow_without_scheduled
// expect: only scheduled<P> follows a hbm::schedule
#include <hbm/placement/scheduled.hpp>
bool follow(hbm::manager<hbm::best_fit>& memory, const hbm::schedule& plan) {
    return memory.follow(plan);
}
#endif

#ifdef copy_of_real_memory
// expect: deleted
using with_bytes = hbm::manager<hbm::compacting<hbm::best_fit>, hbm::never_evict, hbm::never_donate,
                                hbm::relieve_cheapest, hbm::host_device>;

with_bytes copied(const with_bytes& memory) {
    return memory;
}
#endif

#ifdef reservation_under_what_reserves_nothing
// expect: scratch stays where it is: both placements reserve at the bottom, or neither does
auto without(const hbm::manager<hbm::bottom_reserve<hbm::best_fit>>& memory) {
    return memory.under<hbm::manager<hbm::best_fit>>();
}
#endif

#ifdef literals_in_a_template
// compiles
template <class Memory>
bool fill(Memory& memory) {
    return memory.allocate(6_GiB, "weights").has_value() && memory.allocate(0.5_GiB).has_value();
}
template bool fill(hbm::manager<hbm::best_fit>&);
#endif

#ifdef size_is_a_double
// expect: sizes are whole numbers of bytes
auto allocate(hbm::manager<hbm::best_fit>& memory) {
    return memory.allocate(1.5e9, "weights");
}
#endif

#ifdef result_ignored
// expect: nodiscard
#pragma GCC diagnostic error "-Wunused-result"

// Memory that nobody can free.
void leak(hbm::manager<hbm::best_fit>& memory) {
    memory.allocate(1);
}
#endif

#ifdef free_of_a_result
// expect: test the result, then use *
void free(hbm::manager<hbm::best_fit>& memory) {
    auto held = memory.allocate(1);
    memory.free(held);
}
#endif

#ifdef handles_of_two_kinds
// expect: free is for buffers; programs end with unload
void mix(hbm::manager<hbm::best_fit>& memory, hbm::program held) {
    memory.free(held);
}
#endif

#ifdef label_with_a_length
// compiles
#include <string>
#include <string_view>
template <class Text>
auto allocate(hbm::manager<hbm::best_fit>& memory, const Text& label) {
    return memory.allocate(512, label) && memory.allocate(512u, label) && memory.allocate(512_KiB, "label");
}
template auto allocate(hbm::manager<hbm::best_fit>&, const std::string&);
template auto allocate(hbm::manager<hbm::best_fit>&, const std::string_view&);
#endif

#ifdef load_of_nothing
// expect: state the code: load({.code = bytes})
auto load(hbm::manager<hbm::best_fit>& memory) {
    return memory.load({});
}
#endif

#ifdef unload_of_a_buffer
// expect: unload is for programs; buffers end with free
void unload(hbm::manager<hbm::best_fit>& memory, hbm::buffer held) {
    memory.unload(held);
}
#endif

#ifdef view_leaves_the_lock
// expect: what act returns refers to the inside of a manager
#include <hbm/adapt/locked.hpp>
std::uint64_t free_bytes(hbm::locked<hbm::manager<hbm::best_fit>>& memory) {
    return memory.with([](auto& held) { return held.view(); }).free_bytes();
}
#endif

#ifdef grid_axes_out_of_order
// expect: a grid has its axes in this order
#include <hbm/grid.hpp>
using wrong = hbm::grid<hbm::evictions<hbm::evict_lru>, hbm::placements<hbm::best_fit>>;
#endif

#ifdef start_that_does_not_fit
// expect: the memory is too small for the programs and buffers
// expect: missing_bytes<3149824>
#include <hbm/must_fit.hpp>
inline constexpr hbm::buffer_spec weights{.name = "weights", .bytes = 12_GiB + 768_MiB};
inline constexpr hbm::program_spec step{.name = "step", .code = 1_MiB, .scratch = 3_GiB};
static_assert(hbm::must_fit<hbm::tpu::runtime_memory, hbm::tpu::v5e, weights, step>());
#endif

#ifdef start_for_buddy
// expect: the memory is too small for the programs and buffers
// expect: missing_bytes<4294967296>
#include <hbm/must_fit.hpp>
#include <hbm/placement/buddy.hpp>
inline constexpr hbm::memory_spec memory{.name = "some", .capacity = 12_GiB};
inline constexpr hbm::buffer_spec caches{.name = "cache", .bytes = 3_GiB, .count = 4};
inline constexpr hbm::start_spec start{.buffers = {&caches, 1}};
static_assert(hbm::must_fit<hbm::manager<hbm::best_fit>, memory, start>());
static_assert(hbm::must_fit<hbm::manager<hbm::buddy>, memory, start>());
#endif
