#pragma once

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/placement/placement.hpp>
#include <hbm/testing/audit.hpp>
#include <hbm/testing/erased_placement.hpp>
#include <hbm/testing/random.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace hbm::inline v0::testing {

/// The abilities of a placement that a story uses.
struct tested_abilities {
    bool merges_neighbours = false;
    bool imports = false;
    bool relocates = false;
    bool stretches = false;
    bool shrinks = false;
    bool reserves = false;
    bool extends = false;
    bool heeds_lifetimes = false;
    bool gives_more = false;  ///< blocks may be longer than their requirement
};
template <placement P>
inline constexpr tested_abilities abilities_to_test{P::merges_neighbours, hbm::imports<P>,         hbm::relocates<P>,
                                                    hbm::stretches<P>,    hbm::shrinks<P>,         hbm::reserves<P>,
                                                    hbm::extends<P>,      hbm::heeds_lifetimes<P>, hbm::gives_more<P>};

/// A random story on one placement, compiled once for all policies over these quanta; see `conformance`.
template <class Quanta>
class placement_story {
public:
    placement_story(erased_placement<Quanta>& subject, const tested_abilities& abilities, std::uint64_t capacity,
                    std::uint64_t seed)
        : subject_(subject), able_(abilities), capacity_(capacity), random_(seed ^ 0x706c6163656d656eu) {}

    /// Makes one random call and checks all rules. Returns null, or the broken rule.
    const char* step() {
        // A copy from before the call tells whether a call that failed changed anything, and the blocks from before
        // whether it had to fail: the suite decides both from the list of blocks alone, without the placement.
        before_ = now_;
        remembered_.reset(subject_.copy());
        const std::uint64_t chance = random_.below(able_.extends ? 17 : 16);
        const char* broken = chance == 0   ? occupy()
                             : chance < 3  ? (random_.once_in(4) ? stretch() : relocate())
                             : chance == 3 ? shrink()
                             : chance == 4 ? reserve()
                             : chance < 10 ? release()
                             : chance < 16 ? place()
                                           : extend();
        return broken != nullptr ? broken : look();
    }

    /// Returns null, or the broken rule.
    const char* look() {
        // From the whole to the single block: sums and tiling first, then each block against the model, in both
        // directions. A block that is in the list only came from nowhere; one that is in the model only has vanished,
        // which the counts tell.
        list_blocks();
        const claimed_sums sums = claimed();
        if (sums.capacity != capacity_) return "the capacity is not what was requested";
        if (const char* broken = audit_blocks(now_, sums, 1, able_.merges_neighbours)) return broken;
        if (sums.live > peak_) peak_ = sums.live;
        if (subject_.map().peak_live() != peak_) return "the peak of the live sum is wrong";
        std::size_t known = 0;
        for (const block_view& seen : now_) {
            if (seen.kind == block_kind::hole || seen.kind == block_kind::reservation) continue;
            const live_block* block = find(seen.handle.index);
            if (block == nullptr) return "a block came from nowhere";
            if (block->generation != seen.handle.generation) return "a block's generation changed while it lived";
            if (block->where != seen.where) return "a block is not where it was";
            if (block->granted != seen.granted) return "a block's granted size changed";
            ++known;
        }
        if (known != live_.size()) return "a live block vanished";
        for (const dead_block& dead : dead_)
            if (subject_.map().is_live(dead.index, dead.generation)) return "a dead block's handle came to life again";
        return look_at_reservation();
    }

private:
    struct live_block {
        block_index index;
        std::uint32_t generation;
        extent where;
        std::uint64_t granted;
    };
    struct dead_block {
        block_index index;
        std::uint32_t generation;
    };

    static constexpr std::uint64_t max_quanta = std::numeric_limits<Quanta>::max();

    [[nodiscard]] static basic_extent<Quanta> range_of(std::uint64_t offset, std::uint64_t size) {
        return {static_cast<Quanta>(offset), static_cast<Quanta>(size)};
    }
    [[nodiscard]] bool is_unchanged() const { return remembered_->is_equal(subject_); }
    [[nodiscard]] claimed_sums claimed() const {
        const block_map<Quanta>& map = subject_.map();
        return {map.capacity(), map.free(), map.live(), subject_.largest_free()};
    }
    void list_blocks() {
        now_.clear();
        for (const block_view& block : block_range<Quanta>{subject_.map(), 0, 0, true}) now_.push_back(block);
    }

    live_block* find(block_index index) {
        for (live_block& block : live_)
            if (block.index == index) return &block;
        return nullptr;
    }
    live_block* any() { return live_.empty() ? nullptr : &live_[random_.below(live_.size())]; }

    /// Returns a size: mostly one that could fit, sometimes hostile; at least 1.
    std::uint64_t any_size() {
        // Errors of placements sit at the edges: one more than the capacity, the limits of the width, where sums wrap
        // around, and just the longest hole. A fifth of the sizes are these; the others are small enough to
        // fill a memory with many blocks.
        const std::uint64_t most = max_quanta;
        const std::uint64_t chance = random_.below(24);
        const std::uint64_t size = chance == 0   ? capacity_
                                   : chance == 1 ? capacity_ + (capacity_ != most ? 1 : 0)
                                   : chance == 2 ? most - random_.below(3)
                                   : chance == 3 ? most / 2 + random_.below(3)
                                   : chance == 4 ? claimed().largest_free
                                                 : random_.up_to(capacity_ / (1 + random_.below(16)));
        return size == 0 ? 1 : size;
    }
    std::uint64_t any_offset() {
        return random_.once_in(16) ? max_quanta - random_.below(3) : random_.up_to(capacity_);
    }
    std::uint64_t any_alignment() {
        if (!random_.once_in(4)) return 1;
        const auto bits = static_cast<std::uint64_t>(std::bit_width(max_quanta));
        return std::uint64_t{1} << (random_.once_in(6) ? random_.below(bits) : random_.below(6));
    }

    const block_view* see(block_index index) {
        list_blocks();
        for (const block_view& seen : now_)
            if (seen.kind == block_kind::data && seen.handle.index == index) return &seen;
        return nullptr;
    }
    const char* welcome(block_index index, std::uint64_t granted) {
        // The model of the suite is the list of blocks that it holds itself. A new block enters it only if it is really
        // new, lies where nothing lay before, and has the size that was requested.
        const block_view* seen = see(index);
        if (seen == nullptr) return "the block that was returned does not exist";
        if (find(index) != nullptr) return "the block that was returned is one that lives already";
        if (!is_free(before_, seen->where)) return "a block was placed on another one";
        if (seen->granted != granted) return "the granted size is not what was requested";
        live_.push_back({index, seen->handle.generation, seen->where, granted});
        return nullptr;
    }

    const char* place() {
        need<Quanta> request;
        request.length = static_cast<Quanta>(any_size());
        request.alignment = static_cast<Quanta>(any_alignment());
        request.from = random_.once_in(3) ? end::high : end::low;
        request.at = random_.once_in(3) ? end::high : end::low;
        if (able_.heeds_lifetimes) request.expected = static_cast<lifetime>(random_.below(3));
        // Whether the request fits is a question for the blocks before it, with the requirement that the placement
        // states. Which hole it takes is its own affair.
        const need<Quanta> required = subject_.requirement(request);
        if (required.length < request.length || required.alignment < request.alignment)
            return "the requirement is less than what was requested";
        const bool fits = some_run_holds(before_, required.length, required.alignment);
        const block_index block = subject_.place(request);
        if (block == no_block) {
            // The largest number may stand for a requirement beyond the width, which nothing satisfies.
            if (fits && required.length != max_quanta)
                return "a request failed although a free run satisfies its requirement";
            return is_unchanged() ? nullptr : "a failed request changed the placement";
        }
        if (!fits) return "a request succeeded although no free run satisfies its requirement";
        if (const char* broken = welcome(block, request.length)) return broken;
        const extent where = live_.back().where;
        if (where.offset % request.alignment != 0) return "a block is not aligned as requested";
        if (where.size > required.length && !able_.gives_more) return "a block is larger than the requirement";
        return nullptr;
    }

    const char* release() {
        // Handles of dead blocks are kept, a sample of 64, to see that none comes to life again when its index is used
        // for another block: `look` asks for all of them after each step.
        live_block* block = any();
        if (block == nullptr) return nullptr;
        subject_.release(block->index);
        if (dead_.size() < 64)
            dead_.push_back({block->index, block->generation});
        else
            dead_[random_.below(64)] = {block->index, block->generation};
        *block = live_.back();
        live_.pop_back();
        return nullptr;
    }

    const char* occupy() {
        // The range decides alone: it is taken if and only if all of it is free. No rule of the placement may add to
        // that.
        if (!able_.imports) return nullptr;
        const std::uint64_t offset = any_offset();
        const std::uint64_t size = any_size();
        const bool fits = offset <= capacity_ && size <= capacity_ - offset && is_free(before_, {offset, size});
        const block_index block = subject_.occupy(range_of(offset, size), static_cast<Quanta>(size), 1);
        if ((block != no_block) != fits)
            return fits ? "a free range could not be occupied" : "a range that is not free was occupied";
        if (block == no_block) return is_unchanged() ? nullptr : "a failed occupation changed the placement";
        if (const char* broken = welcome(block, size)) return broken;
        return live_.back().where == extent{offset, size} ? nullptr
                                                          : "another range was occupied than the one requested";
    }

    const char* relocate() {
        // A target may overlap the block itself, so its own range counts as free. The target must keep the alignment
        // that the block was placed with, and be inside the memory; nothing else may refuse it.
        live_block* block = any();
        if (!able_.relocates || block == nullptr) return nullptr;
        const std::uint64_t to = any_offset();
        const extent target{to, block->where.size};
        const bool fits = target.size <= capacity_ && to <= capacity_ - target.size &&
                          to % subject_.map().alignment(block->index) == 0 &&
                          is_free(before_, target, block->where.offset);
        if (subject_.relocate(block->index, static_cast<Quanta>(to)) != fits)
            return fits ? "a block could not move to a free place" : "a block moved to where it must not";
        if (!fits) return is_unchanged() ? nullptr : "a failed move changed the placement";
        block->where = target;
        return nullptr;
    }

    const char* stretch() {
        const live_block* block = any();
        if (!able_.stretches || block == nullptr) return nullptr;
        // Half of the ranges grow into what lies above, which is free more often than a random place. Afterwards the
        // block takes its old range back, and all must be as before.
        const extent home = block->where;
        extent target{any_offset(), any_size()};
        if (random_.once_in(2)) {  // into the hole above
            target = {home.offset, home.size + random_.below(8)};
        }
        const bool fits = target.size >= block->granted && target.size <= capacity_ &&
                          target.offset <= capacity_ - target.size && is_free(before_, target, home.offset);
        if (subject_.stretch(block->index, range_of(target.offset, target.size)) != fits)
            return fits ? "a block could not take a free range" : "a block took a range that it must not";
        if (!fits) return is_unchanged() ? nullptr : "a range that was refused changed the placement";
        const block_view* seen = see(block->index);
        if (seen == nullptr || !(seen->where == target) || seen->granted != block->granted)
            return "a block took another range than the one requested";
        if (!subject_.stretch(block->index, range_of(home.offset, home.size)))
            return "a block could not take its range back";
        return is_unchanged() ? nullptr : "a block that took its range back left something after";
    }

    const char* shrink() {
        live_block* block = any();
        if (!able_.shrinks || block == nullptr) return nullptr;
        const std::uint64_t granted = 1 + random_.below(block->granted);
        subject_.shrink(block->index, static_cast<Quanta>(granted));
        const block_view* seen = see(block->index);
        if (seen == nullptr) return "a block that was cut short vanished";
        if (seen->where.offset != block->where.offset || seen->where.size > block->where.size)
            return "a block that was cut short moved or grew";
        if (seen->granted != granted && !(seen->where.size == block->where.size && seen->granted == block->granted))
            return "a block was cut to another size than requested";
        block->where.size = seen->where.size;
        block->granted = seen->granted;
        return nullptr;
    }

    const char* reserve() {
        // The reservation grows from the bottom and must find the bytes above itself free; shrinking always works.
        if (!able_.reserves) return nullptr;
        const std::uint64_t size = random_.once_in(8) ? any_size() : random_.below(capacity_ / 2 + 2);
        const bool fits = size <= capacity_ && is_free(before_, {reserved_, size < reserved_ ? 0 : size - reserved_});
        if (subject_.reserve(static_cast<Quanta>(size)) != fits)
            return fits ? "a reservation failed although the bottom is free" : "a reservation took what is not free";
        if (!fits) return is_unchanged() ? nullptr : "a failed reservation changed the placement";
        reserved_ = size;
        return nullptr;
    }

    const char* extend() {
        // A quarter of the calls ask for what is mostly no extension: not larger than the memory, or beyond the width.
        const bool hostile = random_.once_in(4);
        const std::uint64_t room = max_quanta - capacity_;
        const std::uint64_t more = 1 + random_.below(random_.once_in(8) ? 300 : 20);
        std::uint64_t capacity = capacity_ + (more < room ? more : room);
        if (hostile) capacity = random_.once_in(2) ? max_quanta + random_.below(3) : random_.up_to(capacity_);
        const bool fits = capacity > capacity_ && capacity <= max_quanta;
        if (subject_.extend(capacity) != fits)
            return fits ? "the memory could not be extended" : "the memory was extended to what is no extension";
        if (!fits) return is_unchanged() ? nullptr : "a failed extension changed the placement";
        capacity_ = capacity;
        return nullptr;
    }

    const char* look_at_reservation() const {
        // What is reservable is the free run right above the reservation, measured here from the list of blocks.
        if (!able_.reserves) return nullptr;
        if (subject_.reserved() != reserved_) return "the reservation has another size than requested";
        if (reserved_ != 0 &&
            (now_.empty() || now_[0].kind != block_kind::reservation || now_[0].where != extent{0, reserved_}))
            return "the reservation is not at the bottom";
        std::uint64_t run = 0;
        for (const block_view& block : now_) {
            if (block.kind == block_kind::reservation) continue;
            if (block.kind != block_kind::hole) break;
            run += block.where.size;
        }
        return subject_.reservable() == run ? nullptr : "the reservable run is wrong";
    }

    erased_placement<Quanta>& subject_;
    std::unique_ptr<erased_placement<Quanta>> remembered_;
    tested_abilities able_;
    std::uint64_t capacity_;
    random_numbers random_;
    std::vector<live_block> live_;
    std::vector<dead_block> dead_;
    snapshot before_;
    snapshot now_;
    std::uint64_t peak_ = 0;
    std::uint64_t reserved_ = 0;
};

}  // namespace hbm::inline v0::testing
