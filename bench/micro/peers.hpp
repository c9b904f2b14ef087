#pragma once

/// The peers: the library's placements and managers, and others to compare with. Their interface is in peer.hpp.

#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "micro/peer.hpp"

#ifdef HBM_HAVE_BOOST_INTERPROCESS
#include "micro/boost_peer.hpp"
#endif

namespace hbm::micro {

/// A placement without a manager.
template <placement P>
class placement_peer {
public:
    struct handle {
        block_index block = no_block;
    };
    static constexpr auto name = P::name;

    placement_peer(std::uint64_t capacity, std::size_t blocks) : blocks_(static_cast<std::uint32_t>(capacity)) {
        blocks_.reserve_metadata(blocks);
    }
    handle allocate(std::uint32_t quanta) { return {blocks_.place({.length = quanta})}; }
    void free(handle freed) { blocks_.release(freed.block); }
    [[nodiscard]] std::uint64_t offset(handle held) const { return blocks_.map().offset(held.block); }
    [[nodiscard]] std::uint64_t reach() const { return blocks_.map().capacity(); }
    [[nodiscard]] static bool holds(handle held) { return held.block != no_block; }
    [[nodiscard]] P& blocks() { return blocks_; }

private:
    P blocks_;
};

/// The manager that the README begins with.
using readme_manager = manager<bottom_reserve<compacting<best_fit_lifo>>, evict_cheapest_window, donate_same_size>;

/// A manager: requests in bytes, checked handles.
template <class Manager>
class manager_peer {
public:
    using handle = buffer;
    static constexpr auto name = [] {
        if constexpr (std::same_as<Manager, readme_manager>)
            return fixed_string{"readme_manager"};
        else
            return fixed_string{"manager<"} + Manager::name + fixed_string{">"};
    }();

    manager_peer(std::uint64_t capacity, std::size_t blocks)
        : memory_(memory_spec{.capacity = capacity * quantum, .quantum = quantum}) {
        memory_.reserve_metadata(blocks);
    }
    handle allocate(std::uint32_t quanta) { return memory_.allocate(quanta * quantum).value_or({}); }
    void free(handle freed) { memory_.free(freed); }
    [[nodiscard]] std::uint64_t offset(handle held) const { return memory_.where(held).offset / quantum; }
    [[nodiscard]] std::uint64_t reach() const { return memory_.capacity_bytes() / quantum; }
    [[nodiscard]] std::uint64_t moves() const { return memory_.done_so_far().moves; }
    [[nodiscard]] static bool holds(handle held) { return static_cast<bool>(held); }

private:
    Manager memory_;
};

/// A simple best fit: holes by size and holes by offset in two maps of the standard library. Callers keep the size. All
/// ratios are relative to this peer.
class two_maps {
public:
    struct handle {
        std::uint64_t offset = ~std::uint64_t{0};
        std::uint64_t quanta = 0;
    };
    static constexpr fixed_string name{"two_maps"};

    two_maps(std::uint64_t capacity, std::size_t /*blocks*/) : capacity_(capacity) { add(0, capacity); }

    handle allocate(std::uint32_t quanta) {
        const auto found = by_size_.lower_bound(quanta);
        if (found == by_size_.end()) return {};
        const auto [size, offset] = *found;
        by_size_.erase(found);
        by_offset_.erase(offset);
        if (size != quanta) add(offset + quanta, size - quanta);
        return {offset, quanta};
    }
    void free(handle freed) {
        auto above = by_offset_.lower_bound(freed.offset);
        if (above != by_offset_.end() && above->first == freed.offset + freed.quanta) {
            freed.quanta += above->second->first;
            above = remove(above);
        }
        if (above != by_offset_.begin()) {
            const auto below = std::prev(above);
            if (const std::uint64_t size = below->second->first; below->first + size == freed.offset) {
                freed.offset = below->first;
                freed.quanta += size;
                remove(below);
            }
        }
        add(freed.offset, freed.quanta);
    }
    [[nodiscard]] std::uint64_t offset(handle held) const { return held.offset; }
    [[nodiscard]] std::uint64_t reach() const { return capacity_; }
    [[nodiscard]] static bool holds(handle held) { return held.quanta != 0; }

private:
    using sizes = std::multimap<std::uint64_t, std::uint64_t>;
    using offsets = std::map<std::uint64_t, sizes::iterator>;

    void add(std::uint64_t offset, std::uint64_t quanta) {
        by_offset_.emplace(offset, by_size_.emplace(quanta, offset));
    }
    offsets::iterator remove(offsets::iterator hole) {
        by_size_.erase(hole->second);
        return by_offset_.erase(hole);
    }

    sizes by_size_;
    offsets by_offset_;
    std::uint64_t capacity_;
};

}  // namespace hbm::micro

#ifdef HBM_MICRO_PEERS
#include HBM_MICRO_PEERS
#else
namespace hbm::micro {

/// Peers from outside the project.
using own_peers = peer_list<>;

}  // namespace hbm::micro
#endif

namespace hbm::micro {

/// The library's own peers.
using shipped_peers =
    peer_list<placement_peer<best_fit>, placement_peer<compacting<best_fit>>, placement_peer<free_together<best_fit>>,
              placement_peer<bottom_reserve<best_fit>>, placement_peer<bottom_reserve<compacting<best_fit>>>,
              manager_peer<manager<best_fit>>, manager_peer<readme_manager>, placement_peer<best_fit_lifo>,
              manager_peer<manager<best_fit_lifo>>, placement_peer<good_fit>, manager_peer<manager<good_fit>>,
              placement_peer<first_fit>, placement_peer<buddy>>;
#ifdef HBM_HAVE_BOOST_INTERPROCESS
using boost_peers = peer_list<boost_best_fit>;
#else
using boost_peers = peer_list<>;
#endif
/// Peers whose offsets are in quanta; and all peers.
using whole_size_peers = decltype(shipped_peers{} + peer_list<two_maps>{} + own_peers{});
using all_peers = decltype(whole_size_peers{} + boost_peers{});

}  // namespace hbm::micro
