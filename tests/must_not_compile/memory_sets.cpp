// Memory sets and spill policies. CMakeLists.txt tells how to read the sections.

#include <hbm/hbm.hpp>
#include <hbm/memory_set.hpp>

#include <span>

#include "parts.hpp"

using plain = hbm::manager<hbm::best_fit>;
using memories =
    hbm::memory_set<hbm::spill_in_order, hbm::of_kind<"device", plain>, hbm::of_kind<"pinned_host", plain>>;

#ifdef memory_set_complete
// compiles
struct my_spill : named, comparable {
    std::size_t choose(std::span<const hbm::spill_place>) const { return 0; }
};
static_assert(hbm::check_spill<my_spill>());
hbm::memory_set<my_spill, hbm::of_kind<"device", plain>> one;
auto moved(memories& set, hbm::set_buffer held) {
    return set.move_to(held, "pinned_host", [](const memories::move&) { return true; });
}
auto run(memories& set, hbm::set_program step) {
    return set.run(step, {.outputs = {{"device", 512}, {"pinned_host", 512, "loss"}}});
}
#endif

#ifdef memory_set_of_a_wrong_kind
// expect: the_set_has_no_memory_of_this_kind
auto allocate(memories& set) {
    return set.allocate("pinned", 512);
}
#endif

#ifdef memory_set_output_of_a_wrong_kind
// expect: the_set_has_no_memory_of_this_kind
auto run(memories& set, hbm::set_program step) {
    return set.run(step, {.outputs = {{"vmem", 512}}});
}
#endif

#ifdef memory_set_manager_of_a_wrong_kind
// expect: the memory_set has no memory of this kind
auto memory(memories& set) {
    return set.memory<"vmem">().free_bytes();
}
#endif

#ifdef memory_set_with_one_kind_twice
// expect: two memories of a memory_set have one kind
hbm::memory_set<hbm::never_spill, hbm::of_kind<"device", plain>, hbm::of_kind<"device", plain>> set;
#endif

#ifdef memory_set_without_memories
// expect: a memory_set has a spill policy and memories: hbm::memory_set<hbm::never_spill
hbm::memory_set<hbm::never_spill> set;
#endif

#ifdef memory_set_with_too_few_specs
// expect: a memory_set has one memory_spec for each kind, in its order
memories set({hbm::memory_spec{}});
#endif

#ifdef memory_set_behind_a_mutex_without_its_header
// expect: a memory_set behind a mutex: include <hbm/adapt/synchronized_set.hpp>
#include <hbm/adapt/synchronized.hpp>
hbm::synchronized<memories, hbm::no_mutex> set;
#endif

#ifdef spill_without_a_name
// expect: a spill policy has a name: static constexpr hbm::fixed_string name
struct my_spill : comparable {};
static_assert(hbm::check_spill<my_spill>());
#endif

#ifdef spill_without_comparison
// expect: a spill policy is a regular value: default-made, copied, compared with ==
struct my_spill : named {};
hbm::memory_set<my_spill, hbm::of_kind<"device", plain>> set;
#endif

#ifdef spill_choice_of_an_int
// expect: a spill policy chooses: std::size_t choose(std::span<const hbm::spill_place>) const
struct my_spill : named, comparable {
    int choose(std::span<const hbm::spill_place>) const { return 0; }
};
static_assert(hbm::check_spill<my_spill>());
#endif

#ifdef spill_choice_that_is_not_const
// expect: a spill policy chooses: std::size_t choose(std::span<const hbm::spill_place>) const
struct my_spill : named, comparable {
    std::size_t choose(std::span<const hbm::spill_place>) { return 0; }
};
hbm::memory_set<my_spill, hbm::of_kind<"device", plain>> set;
#endif
