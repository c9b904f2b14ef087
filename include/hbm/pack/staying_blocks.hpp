#pragma once

/// The blocks of a sequence that outlive the step in which they were asked for, and where they go.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/known_sequence.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/sequence_plan.hpp>
#include <hbm/search/heap_sort.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::plan_detail {

/// Places the blocks that outlive their steps, by themselves, as best fit does. One that comes at least three times, at
/// the same place of its step and of the same size, has a place of its own, which no other gets: so that the second
/// period is as the first. Where the next comes before the last has gone, it has two places, and so on.
class staying_blocks {
public:
    static constexpr std::uint32_t none = no_event;

    struct place {
        std::uint32_t offset = 0;
        std::uint32_t since = 0;  // the event from which on it is kept
        std::uint32_t next = none;
        bool is_taken = false;
    };
    /// Blocks that come again.
    struct recurring {
        std::uint32_t size = 0;
        std::uint32_t count = 0;
        std::uint32_t first_place = none;
        std::uint32_t places = 0;
    };

    /// `cuts` are the first events of the parts of the sequence, of which the first is what comes before the steps, and
    /// the end of the last. O(n log n).
    constexpr staying_blocks(const known_sequence& all, const trivial_vector<std::uint32_t>& cuts) {
        stays_.resize(all.lives().size(), 0);
        offsets_.resize(all.lives().size(), 0);
        kind_of_.resize(all.lives().size(), none);
        find(all, cuts);
        place_all(all, cuts.back());
    }

    [[nodiscard]] constexpr bool stays(std::uint32_t request) const noexcept { return stays_[request] != 0; }
    [[nodiscard]] constexpr std::uint32_t offset(std::uint32_t request) const noexcept { return offsets_[request]; }
    /// The kind of blocks that come again, if it has several places; else `none`.
    [[nodiscard]] constexpr std::uint32_t rotating(std::uint32_t request) const noexcept {
        const std::uint32_t kind = kind_of_[request];
        return kind != none && kinds_[kind].count >= often && kinds_[kind].places > 1 ? kind : none;
    }
    /// The kind, or `none` for a block that does not come again.
    [[nodiscard]] constexpr std::uint32_t kind(std::uint32_t request) const noexcept {
        const std::uint32_t kind = kind_of_[request];
        return kind != none && kinds_[kind].count >= often ? kind : none;
    }
    [[nodiscard]] constexpr const trivial_vector<recurring>& kinds() const noexcept { return kinds_; }
    [[nodiscard]] constexpr const trivial_vector<place>& places() const noexcept { return places_; }

private:
    static constexpr std::uint32_t often = 3;

    struct sighting {
        std::uint32_t ordinal = 0;
        std::uint32_t size = 0;
        std::uint32_t request = 0;
    };

    constexpr void find(const known_sequence& all, const trivial_vector<std::uint32_t>& cuts) {
        trivial_vector<sighting> seen;
        for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
            std::uint32_t ordinal = 0;
            for (std::uint32_t at = cuts[part]; at < cuts[part + 1]; ++at) {
                if (all.events()[at].is_free) continue;
                ++ordinal;
                const std::uint32_t request = all.events()[at].request;
                // A sequence without steps is a single part; there nothing has to outlive it.
                if (all.lives()[request].end < cuts[part + 1] || cuts.size() == 2) continue;
                stays_[request] = 1;
                if (part != 0) seen.push_back({ordinal, all.lives()[request].size, request});
            }
        }
        heap_sort(seen, [](const sighting& a, const sighting& b) {
            if (a.ordinal != b.ordinal) return a.ordinal < b.ordinal;
            return a.size != b.size ? a.size < b.size : a.request < b.request;
        });
        for (std::size_t at = 0; at < seen.size(); ++at) {
            if (at == 0 || seen[at].ordinal != seen[at - 1].ordinal || seen[at].size != seen[at - 1].size)
                kinds_.push_back({seen[at].size, 0, none, 0});
            ++kinds_.back().count;
            kind_of_[seen[at].request] = static_cast<std::uint32_t>(kinds_.size() - 1);
        }
    }

    constexpr void place_all(const known_sequence& all, std::uint32_t end) {
        best_fit memory(best_fit::unlimited);
        trivial_vector<block_index> blocks(all.lives().size(), no_block);
        trivial_vector<std::uint32_t> place_of(all.lives().size(), none);
        for (std::uint32_t at = 0; at < end; ++at) {
            const std::uint32_t request = all.events()[at].request;
            if (!stays(request)) continue;
            const std::uint32_t its_kind = kind(request);
            if (all.events()[at].is_free) {
                if (its_kind == none)
                    memory.release(blocks[request]);
                else
                    places_[place_of[request]].is_taken = false;
                continue;
            }
            std::uint32_t free_place = none;
            if (its_kind != none) {
                free_place = kinds_[its_kind].first_place;
                while (free_place != none && places_[free_place].is_taken) free_place = places_[free_place].next;
            }
            if (free_place == none) {
                const block_index block = memory.place({.length = all.lives()[request].size});
                blocks[request] = block;
                offsets_[request] = memory.map().offset(block);
                if (its_kind == none) continue;
                free_place = add_place(kinds_[its_kind], offsets_[request], at);
            }
            places_[free_place].is_taken = true;
            place_of[request] = free_place;
            offsets_[request] = places_[free_place].offset;
        }
    }
    constexpr std::uint32_t add_place(recurring& kind, std::uint32_t offset, std::uint32_t since) {
        const auto added = static_cast<std::uint32_t>(places_.size());
        places_.push_back({offset, since, none, false});
        std::uint32_t last = kind.first_place;
        if (last == none) kind.first_place = added;
        for (; last != none && last != added; last = places_[last].next) {
            if (places_[last].next != none) continue;
            places_[last].next = added;
            break;
        }
        ++kind.places;
        return added;
    }

    trivial_vector<std::uint8_t> stays_;     // by request
    trivial_vector<std::uint32_t> offsets_;  // by request
    trivial_vector<std::uint32_t> kind_of_;  // by request
    trivial_vector<recurring> kinds_;
    trivial_vector<place> places_;
};

}  // namespace hbm::plan_detail
