#pragma once

/// Parts of policies, one for each sentence of a contract. A snippet leaves a part out, or writes its own.

#include <hbm/placement/placement.hpp>

#include <cstdint>

struct named {
    static constexpr hbm::fixed_string name{"mine"};
};

struct comparable {
    friend bool operator==(const comparable&, const comparable&) = default;
};

struct placing {
    hbm::block_index place(const hbm::need<std::uint32_t>&) { return hbm::no_block; }
};

struct releasing {
    void release(hbm::block_index) {}
};

struct relocating {
    bool relocate(hbm::block_index, std::uint32_t) { return false; }
};

struct movable {
    static constexpr bool may_move = true;
};

/// The parts of a placement that no snippet leaves out, and those that it names.
template <class... Parts>
class placement_of : public Parts... {
public:
    using quanta = std::uint32_t;
    static constexpr bool merges_neighbours = true;
    static constexpr quanta unlimited = ~quanta{0};

    placement_of() = default;
    explicit placement_of(quanta capacity) : map_(capacity) {}
    hbm::need<quanta> requirement(const hbm::need<quanta>& need) const { return need; }
    quanta largest_free() const { return map_.free(); }
    hbm::block_map<quanta>& map() { return map_; }
    const hbm::block_map<quanta>& map() const { return map_; }

private:
    hbm::block_map<quanta> map_;
};

using complete_placement = placement_of<named, comparable, placing, releasing>;
