#pragma once

#include <hbm/placement/placement.hpp>
#include <hbm/testing/audit.hpp>
#include <hbm/testing/random.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace hbm::inline v0::testing {

/// An interface to any placement in 64-bit numbers, so that the story is compiled once for all policies. All in quanta.
class tested_placement {
public:
    bool merges_neighbours = false;
    bool imports = false;
    bool relocates = false;
    bool stretches = false;
    bool shrinks = false;
    bool reserves = false;
    bool extends = false;
    bool heeds_lifetimes = false;
    bool gives_more = false;  ///< blocks may be longer than their requirement
    std::uint64_t max_quanta = 0;

    tested_placement() = default;
    tested_placement(const tested_placement&) = delete;
    tested_placement& operator=(const tested_placement&) = delete;
    virtual ~tested_placement() = default;

    virtual block_index place(const need<std::uint64_t>& n) = 0;
    virtual need<std::uint64_t> requirement(const need<std::uint64_t>& n) const = 0;
    virtual void release(block_index block) = 0;
    virtual block_index occupy(std::uint64_t offset, std::uint64_t size) = 0;
    virtual bool relocate(block_index block, std::uint64_t to) = 0;
    virtual bool stretch(block_index block, std::uint64_t offset, std::uint64_t size) = 0;
    virtual void shrink(block_index block, std::uint64_t granted) = 0;
    virtual bool reserve(std::uint64_t size) = 0;
    virtual bool extend(std::uint64_t capacity) = 0;
    virtual std::uint64_t reserved() const = 0;
    virtual std::uint64_t reservable() const = 0;
    virtual claimed_sums sums() const = 0;
    virtual std::uint64_t peak_live() const = 0;
    virtual bool is_live(block_index block, std::uint32_t generation) const = 0;
    virtual std::uint64_t alignment(block_index block) const = 0;
    virtual void look(snapshot& blocks) const = 0;
    virtual void remember() = 0;
    virtual bool unchanged() const = 0;
};

/// A random story on one placement; see `conformance`.
class placement_story {
public:
    placement_story(tested_placement& subject, std::uint64_t capacity, std::uint64_t seed)
        : subject_(subject), capacity_(capacity), random_(seed ^ 0x706c6163656d656eu) {}

    /// Makes one random call and checks all rules. Returns null, or the broken rule.
    const char* step() {
        before_ = now_;
        subject_.remember();
        const char* broken = nullptr;
        switch (random_.below(subject_.extends ? 17 : 16)) {
        case 0: broken = occupy(); break;
        case 16: broken = extend(); break;
        case 1:
        case 2: broken = random_.once_in(4) ? stretch() : relocate(); break;
        case 3: broken = shrink(); break;
        case 4: broken = reserve(); break;
        case 5:
        case 6:
        case 7:
        case 8:
        case 9: broken = release(); break;
        default: broken = place(); break;
        }
        return broken != nullptr ? broken : look();
    }

    /// Returns null, or the broken rule.
    const char* look() {
        now_.clear();
        subject_.look(now_);
        const claimed_sums sums = subject_.sums();
        if (sums.capacity != capacity_) return "the capacity is not what was requested";
        if (const char* broken = audit_blocks(now_, sums, 1, subject_.merges_neighbours)) return broken;
        if (sums.live > peak_) peak_ = sums.live;
        if (subject_.peak_live() != peak_) return "the peak of the live sum is wrong";
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
            if (subject_.is_live(dead.index, dead.generation)) return "a dead block's handle came to life again";
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

    live_block* find(block_index index) {
        for (live_block& block : live_)
            if (block.index == index) return &block;
        return nullptr;
    }
    live_block* any() { return live_.empty() ? nullptr : &live_[random_.below(live_.size())]; }

    /// Returns a size: mostly one that could fit, sometimes hostile; at least 1.
    std::uint64_t any_size() {
        const std::uint64_t most = subject_.max_quanta;
        std::uint64_t size = 1;
        switch (random_.below(24)) {
        case 0: size = capacity_; break;
        case 1: size = capacity_ + (capacity_ != most ? 1 : 0); break;
        case 2: size = most - random_.below(3); break;
        case 3: size = most / 2 + random_.below(3); break;
        case 4: size = subject_.sums().largest_free; break;
        default: size = random_.up_to(capacity_ / (1 + random_.below(16))); break;
        }
        return size == 0 ? 1 : size;
    }
    std::uint64_t any_offset() {
        return random_.once_in(16) ? subject_.max_quanta - random_.below(3) : random_.up_to(capacity_);
    }
    std::uint64_t any_alignment() {
        if (!random_.once_in(4)) return 1;
        const auto bits = static_cast<std::uint64_t>(std::bit_width(subject_.max_quanta));
        return std::uint64_t{1} << (random_.once_in(6) ? random_.below(bits) : random_.below(6));
    }

    const block_view* see(block_index index) {
        now_.clear();
        subject_.look(now_);
        for (const block_view& seen : now_)
            if (seen.kind == block_kind::data && seen.handle.index == index) return &seen;
        return nullptr;
    }
    const char* welcome(block_index index, std::uint64_t granted) {
        const block_view* seen = see(index);
        if (seen == nullptr) return "the block that was returned does not exist";
        if (find(index) != nullptr) return "the block that was returned is one that lives already";
        if (!is_free(before_, seen->where)) return "a block was placed on another one";
        if (seen->granted != granted) return "the granted size is not what was requested";
        live_.push_back({index, seen->handle.generation, seen->where, granted});
        return nullptr;
    }

    const char* place() {
        need<std::uint64_t> request;
        request.length = any_size();
        request.alignment = any_alignment();
        request.from = random_.once_in(3) ? end::high : end::low;
        request.at = random_.once_in(3) ? end::high : end::low;
        if (subject_.heeds_lifetimes) request.expected = static_cast<lifetime>(random_.below(3));
        const need<std::uint64_t> required = subject_.requirement(request);
        if (required.length < request.length || required.alignment < request.alignment)
            return "the requirement is less than what was requested";
        const bool fits = some_run_holds(before_, required.length, required.alignment);
        const block_index block = subject_.place(request);
        if (block == no_block) {
            // The largest number may stand for a requirement beyond the width, which nothing satisfies.
            if (fits && required.length != subject_.max_quanta)
                return "a request failed although a free run satisfies its requirement";
            return subject_.unchanged() ? nullptr : "a failed request changed the placement";
        }
        if (!fits) return "a request succeeded although no free run satisfies its requirement";
        if (const char* broken = welcome(block, request.length)) return broken;
        const extent where = live_.back().where;
        if (where.offset % request.alignment != 0) return "a block is not aligned as requested";
        if (where.size > required.length && !subject_.gives_more) return "a block is larger than the requirement";
        return nullptr;
    }

    const char* release() {
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
        if (!subject_.imports) return nullptr;
        const std::uint64_t offset = any_offset();
        const std::uint64_t size = any_size();
        const bool fits = offset <= capacity_ && size <= capacity_ - offset && is_free(before_, {offset, size});
        const block_index block = subject_.occupy(offset, size);
        if ((block != no_block) != fits)
            return fits ? "a free range could not be occupied" : "a range that is not free was occupied";
        if (block == no_block) return subject_.unchanged() ? nullptr : "a failed occupation changed the placement";
        if (const char* broken = welcome(block, size)) return broken;
        return live_.back().where == extent{offset, size} ? nullptr
                                                          : "another range was occupied than the one requested";
    }

    const char* relocate() {
        live_block* block = any();
        if (!subject_.relocates || block == nullptr) return nullptr;
        const std::uint64_t to = any_offset();
        const extent target{to, block->where.size};
        const bool fits = target.size <= capacity_ && to <= capacity_ - target.size &&
                          to % subject_.alignment(block->index) == 0 && is_free(before_, target, block->where.offset);
        if (subject_.relocate(block->index, to) != fits)
            return fits ? "a block could not move to a free place" : "a block moved to where it must not";
        if (!fits) return subject_.unchanged() ? nullptr : "a failed move changed the placement";
        block->where = target;
        return nullptr;
    }

    const char* stretch() {
        const live_block* block = any();
        if (!subject_.stretches || block == nullptr) return nullptr;
        const extent home = block->where;
        extent target{any_offset(), any_size()};
        if (random_.once_in(2)) {  // into the hole above
            target = {home.offset, home.size + random_.below(8)};
        }
        const bool fits = target.size >= block->granted && target.size <= capacity_ &&
                          target.offset <= capacity_ - target.size && is_free(before_, target, home.offset);
        if (subject_.stretch(block->index, target.offset, target.size) != fits)
            return fits ? "a block could not take a free range" : "a block took a range that it must not";
        if (!fits) return subject_.unchanged() ? nullptr : "a range that was refused changed the placement";
        const block_view* seen = see(block->index);
        if (seen == nullptr || !(seen->where == target) || seen->granted != block->granted)
            return "a block took another range than the one requested";
        if (!subject_.stretch(block->index, home.offset, home.size)) return "a block could not take its range back";
        return subject_.unchanged() ? nullptr : "a block that took its range back left something after";
    }

    const char* shrink() {
        live_block* block = any();
        if (!subject_.shrinks || block == nullptr) return nullptr;
        const std::uint64_t granted = 1 + random_.below(block->granted);
        subject_.shrink(block->index, granted);
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
        if (!subject_.reserves) return nullptr;
        const std::uint64_t size = random_.once_in(8) ? any_size() : random_.below(capacity_ / 2 + 2);
        const bool fits = size <= capacity_ && is_free(before_, {reserved_, size < reserved_ ? 0 : size - reserved_});
        if (subject_.reserve(size) != fits)
            return fits ? "a reservation failed although the bottom is free" : "a reservation took what is not free";
        if (!fits) return subject_.unchanged() ? nullptr : "a failed reservation changed the placement";
        reserved_ = size;
        return nullptr;
    }

    const char* extend() {
        const bool hostile = random_.once_in(4);
        const std::uint64_t room = subject_.max_quanta - capacity_;
        const std::uint64_t more = 1 + random_.below(random_.once_in(8) ? 300 : 20);
        std::uint64_t capacity = capacity_ + (more < room ? more : room);
        if (hostile) capacity = random_.once_in(2) ? subject_.max_quanta + random_.below(3) : random_.up_to(capacity_);
        const bool fits = capacity > capacity_ && capacity <= subject_.max_quanta;
        if (subject_.extend(capacity) != fits)
            return fits ? "the memory could not be extended" : "the memory was extended to what is no extension";
        if (!fits) return subject_.unchanged() ? nullptr : "a failed extension changed the placement";
        capacity_ = capacity;
        return nullptr;
    }

    const char* look_at_reservation() const {
        if (!subject_.reserves) return nullptr;
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

    tested_placement& subject_;
    std::uint64_t capacity_;
    random_numbers random_;
    std::vector<live_block> live_;
    std::vector<dead_block> dead_;
    snapshot before_;
    snapshot now_;
    std::uint64_t peak_ = 0;
    std::uint64_t reserved_ = 0;
};

template <placement P>
class placement_under_test final : public tested_placement {
public:
    using quanta = typename P::quanta;

    explicit placement_under_test(std::uint64_t capacity)
        : placement_(static_cast<quanta>(capacity)), remembered_(placement_) {
        tested_placement::merges_neighbours = P::merges_neighbours;
        tested_placement::imports = hbm::imports<P>;
        tested_placement::relocates = hbm::relocates<P>;
        tested_placement::shrinks = hbm::shrinks<P>;
        tested_placement::reserves = hbm::reserves<P>;
        tested_placement::stretches = hbm::stretches<P>;
        tested_placement::extends = hbm::extends<P>;
        tested_placement::heeds_lifetimes = hbm::heeds_lifetimes<P>;
        tested_placement::gives_more = hbm::gives_more<P>;
        tested_placement::max_quanta = std::numeric_limits<quanta>::max();
    }

    block_index place(const need<std::uint64_t>& n) override { return placement_.place(narrow(n)); }
    need<std::uint64_t> requirement(const need<std::uint64_t>& n) const override {
        const need<quanta> required = placement_.requirement(narrow(n));
        need<std::uint64_t> wide = n;
        wide.length = required.length;
        wide.alignment = required.alignment;
        return wide;
    }
    void release(block_index block) override { placement_.release(block); }
    block_index occupy(std::uint64_t offset, std::uint64_t size) override {
        if constexpr (hbm::imports<P>)
            return placement_.occupy({static_cast<quanta>(offset), static_cast<quanta>(size)});
        else
            return static_cast<block_index>(offset + size);
    }
    bool relocate(block_index block, std::uint64_t to) override {
        if constexpr (hbm::relocates<P>)
            return placement_.relocate(block, static_cast<quanta>(to));
        else
            return block == to;
    }
    bool stretch(block_index block, std::uint64_t offset, std::uint64_t size) override {
        if constexpr (hbm::stretches<P>)
            return placement_.stretch(block, {static_cast<quanta>(offset), static_cast<quanta>(size)});
        else
            return block == offset + size;
    }
    void shrink(block_index block, std::uint64_t granted) override {
        if constexpr (hbm::shrinks<P>) placement_.shrink(block, static_cast<quanta>(granted));
    }
    bool reserve(std::uint64_t size) override {
        if constexpr (hbm::reserves<P>)
            return placement_.reserve(static_cast<quanta>(size));
        else
            return size == 0;
    }
    bool extend(std::uint64_t capacity) override {
        if constexpr (hbm::extends<P>)
            return placement_.extend(capacity);
        else
            return capacity == 0;
    }
    std::uint64_t reserved() const override {
        if constexpr (hbm::reserves<P>)
            return placement_.reserved();
        else
            return 0;
    }
    std::uint64_t reservable() const override {
        if constexpr (hbm::reserves<P>)
            return placement_.reservable();
        else
            return 0;
    }
    claimed_sums sums() const override {
        return {placement_.map().capacity(), placement_.map().free(), placement_.map().live(),
                placement_.largest_free()};
    }
    std::uint64_t peak_live() const override { return placement_.map().peak_live(); }
    bool is_live(block_index block, std::uint32_t generation) const override {
        return placement_.map().is_live(block, generation);
    }
    std::uint64_t alignment(block_index block) const override { return placement_.map().alignment(block); }
    void look(snapshot& blocks) const override {
        for (const block_view& block : block_range<quanta>{placement_.map(), 0, 0, true}) blocks.push_back(block);
    }
    void remember() override { remembered_ = placement_; }
    bool unchanged() const override { return remembered_ == placement_; }

private:
    static need<quanta> narrow(const need<std::uint64_t>& n) {
        need<quanta> narrowed;
        narrowed.length = static_cast<quanta>(n.length);
        narrowed.alignment = static_cast<quanta>(n.alignment);
        narrowed.from = n.from;
        narrowed.at = n.at;
        narrowed.expected = n.expected;
        return narrowed;
    }

    P placement_;
    P remembered_;
};

}  // namespace hbm::inline v0::testing
