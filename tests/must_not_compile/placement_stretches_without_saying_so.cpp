// expect: a placement that stretches blocks has bool stretch(block_index, basic_extent<quanta>)
#include <hbm/placement/placement.hpp>

struct my_fit {
    using quanta = std::uint32_t;
    static constexpr hbm::fixed_string name{"my_fit"};
    static constexpr bool merges_neighbours = true;
    static constexpr quanta unlimited = ~quanta{0};

    my_fit() = default;
    explicit my_fit(quanta capacity) : map_(capacity) {}
    hbm::block_index place(const hbm::need<quanta>&) { return hbm::no_block; }
    void release(hbm::block_index) {}
    void stretch(hbm::block_index, hbm::basic_extent<quanta>) {}
    hbm::need<quanta> requirement(const hbm::need<quanta>& n) const { return n; }
    quanta largest_free() const { return map_.free(); }
    hbm::block_map<quanta>& map() { return map_; }
    const hbm::block_map<quanta>& map() const { return map_; }
    friend bool operator==(const my_fit&, const my_fit&) = default;

private:
    hbm::block_map<quanta> map_;
};

static_assert(hbm::check_placement<my_fit>());
