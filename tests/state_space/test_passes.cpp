// Every state of small memories in which passes are open: they begin and end, with each subset of their copies failing,
// among all other calls. HBM_SCOPE=1 and more: larger memories.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/manager/passes.hpp>
#include <hbm/placement/first_fit.hpp>

#include <algorithm>

#include "state_space/calls.hpp"
#include "state_space/explorer.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::passes_tests {
namespace {

template <class Manager>
struct memory_with_passes {
    Manager memory;
    std::vector<pass> open = {};

    [[nodiscard]] memory_with_passes copy() const { return {memory.copy(), open}; }
    [[nodiscard]] std::vector<begun_move> moves() const {
        std::vector<begun_move> all;
        for (const pass& begun : open) all.insert(all.end(), begun.begin(), begun.end());
        return all;
    }
};

/// The calls of `small_memory`, and those that begin and end passes.
template <class Manager>
class passing_memory {
    using others = small_memory<Manager>;

public:
    using memory = memory_with_passes<Manager>;
    struct call {
        std::string text;
        decltype(std::declval<others>().calls({}, {})) other = {};  ///< one call, or none
        std::uint64_t budget = 0;                                   ///< of a pass that begins, if not 0
        std::size_t ended = 0;                                      ///< the pass that ends
        trivial_vector<std::uint32_t> failed = {};
    };

    passing_memory(const bounds& limits, std::size_t most_open) : others_(limits), most_open_(most_open) {}

    [[nodiscard]] memory empty() const { return {others_.empty()}; }
    [[nodiscard]] picture look(memory& here) const {
        picture now = picture_of(here.memory, here.moves());
        others::write(here.memory, now);
        return now;
    }
    [[nodiscard]] static std::string key(const memory& here, const picture& now) {
        std::string text = canonical_form(here.memory, now);
        for (const pass& begun : here.open) {
            text += '|';
            for (const begun_move& move : begun) {
                const piece* source = now.find(move.block.index, move.block.generation);
                text += static_cast<char>(move.to);
                text += static_cast<char>(source == nullptr ? 255 : source->offset);
            }
        }
        return text;
    }
    [[nodiscard]] std::vector<call> calls(const memory& here, const picture& now) const {
        std::vector<call> all;
        for (auto& other : others_.calls(here.memory, now)) all.push_back({other.text, {other}});
        if (here.open.size() < most_open_)
            for (const std::uint64_t budget : {std::uint64_t{1}, std::uint64_t{now.capacity}})
                all.push_back({.text = "begin a pass of " + std::to_string(budget), .budget = budget});
        for (std::size_t ended = 0; ended < here.open.size(); ++ended) {
            for (std::uint32_t subset = 0; subset >> here.open[ended].size() == 0; ++subset) {
                call next{.text = "end pass " + std::to_string(ended) + ", failed:", .ended = ended};
                for (std::uint32_t at = 0; at < here.open[ended].size(); ++at)
                    if ((subset >> at & 1) != 0) next.failed.push_back(at), next.text += " " + std::to_string(at);
                all.push_back(next);
            }
        }
        return all;
    }
    [[nodiscard]] const char* step(const memory& before, const picture& was, const call& due, memory& later,
                                   picture& now) const {
        if (!due.other.empty())
            return others_.step(before.memory, was, due.other[0], later.memory, now, before.moves());
        return due.budget != 0 ? begin(was, due.budget, later, now) : end(was, due, later, now);
    }

private:
    static const char* begin(const picture& was, std::uint64_t budget, memory& later, picture& now) {
        const pass begun = later.memory.begin_pass(budget);
        if (!begun.empty()) later.open.push_back(begun);
        now = picture_of(later.memory, later.moves());
        if (now.broken != nullptr) return now.broken;
        if (now.count != was.count + begun.size()) return "a pass began other moves than it lists";
        std::uint64_t bytes = 0;
        std::uint32_t taken = was.taken();  // once all moves arrive
        for (const begun_move& move : begun) {
            const piece* source = was.find(move.block.index, move.block.generation);
            if (source == nullptr || source->offset != move.from || source->size != move.bytes)
                return "a pass moves what is not there";
            if (source->pins + source->holds + source->moves != 0 || source->kind == block_kind::deferred)
                return "a pass moves a block in use";
            const piece target{.offset = static_cast<std::uint32_t>(move.to), .size = source->size};
            if ((was.taken() & target.mask()) != 0 || (taken & target.mask()) != 0) return "a target is not free";
            if (move.to % source->alignment != 0) return "a target is not aligned";
            bytes += move.bytes;
            taken = (taken | target.mask()) & ~source->mask();
        }
        if (bytes > budget) return "a pass exceeds its budget";
        for (const piece& block : was) {
            const piece* after = now.find(block.index, block.generation);
            if (after == nullptr || after->offset != block.offset || after->size != block.size)
                return "a pass that begins changes a block";
        }
        std::uint32_t longest = 0, holes = 0, run = 0;
        for (std::uint32_t at = 0; at < now.capacity; ++at) {
            run = (taken >> at & 1) == 0 ? run + 1 : 0;
            holes += run == 1;
            longest = std::max(longest, run);
        }
        return longest < was.largest || holes > was.holes ? "a pass shortens the longest hole, or adds holes" : nullptr;
    }
    const char* end(const picture& was, const call& due, memory& later, picture& now) const {
        const pass ended = later.open[due.ended];
        std::vector<bool> fails(ended.size());
        for (const std::uint32_t at : due.failed) fails[at] = true;
        for (std::size_t at = 0; at < ended.size(); ++at)
            others::copy(later.memory, fails[at] ? begun_move{.to = ended.moves[at].to, .bytes = ended.moves[at].bytes}
                                                 : ended.moves[at]);
        const auto result = later.memory.end_pass(ended, due.failed);
        if (!result) return "a pass cannot end";
        if (later.memory.end_pass(ended)) return "a pass ends twice";
        later.open.erase(later.open.begin() + static_cast<std::ptrdiff_t>(due.ended));
        now = picture_of(later.memory, later.moves());
        if (now.broken != nullptr) return now.broken;
        std::uint32_t left = was.count, arrived = 0;
        for (const piece& block : was) {
            const piece* after = now.find(block.index, block.generation);
            std::uint32_t offset = block.offset, moves = block.moves;
            bool is_target = false;
            for (std::size_t at = 0; at < ended.size(); ++at) {
                const begun_move& move = ended.moves[at];
                is_target |= move.place.index == block.index;
                if (move.block.index != block.index || block.moves == 0) continue;
                --moves;
                const bool same = move.block.generation == block.generation;
                const piece* target = was.find(move.place.index, move.place.generation);
                if (fails[at] || !same || block.pins + block.holds + target->pins != 0) continue;
                offset = static_cast<std::uint32_t>(move.to);
                ++arrived;
            }
            const bool is_freed =
                block.kind == block_kind::deferred && block.until <= was.reached && moves + block.holds == 0;
            if (is_target || is_freed) {
                if (after != nullptr) return "a target, or a freed buffer, is still there";
                --left;
            } else if (after == nullptr || after->offset != offset || after->pins != block.pins ||
                       after->holds != block.holds || after->granted != block.granted) {
                return "a block is not where its move leaves it";
            } else if (!others::has_bytes_of(later.memory, *after)) {
                return "the bytes of a block changed";
            }
        }
        if (result->arrived != arrived || result->failed != due.failed.size() ||
            result->arrived + result->failed + result->stayed != ended.size())
            return "a pass counts its moves wrongly";
        return left == now.count ? nullptr : "a block appeared";
    }

    others others_;
    std::size_t most_open_;
};

/// Explores at least this many transitions.
template <class Memory>
void explore(bounds limits, std::size_t most_open, std::size_t least) {
    const auto scope = static_cast<std::uint32_t>(number_from_environment("HBM_SCOPE", 0));
    limits.capacity += scope;
    limits.longest += scope;
    limits.pins = true;
    explore_all(passing_memory<Memory>(limits, most_open), Memory::full_name.c_str(), least);
}

TEST_CASE("state space: passes keep their promises in every small state") {
    explore<manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, host_device>>(
        {.capacity = 6, .buffers = 3, .longest = 3, .most_alignment = 1}, 2, 660000);
    explore<manager<compacting<first_fit>, never_evict, never_donate, relieve_cheapest, host_device>>(
        {.capacity = 5, .buffers = 3, .longest = 3, .most_alignment = 2}, 1, 180000);
    explore<manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting, relieve_cheapest, host_device>>(
        {.capacity = 5,
         .buffers = 1,
         .longest = 2,
         .most_alignment = 1,
         .programs = {{.code = 1, .scratch = 1}, {.code = 2, .scratch = 1}}},
        1, 410000);
}

}  // namespace
}  // namespace hbm::test::passes_tests
