#pragma once

/// What a series of steps shows, by tag, as plain values. Bytes; steps are counted from 1.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/growth/change.hpp"
#include "compare/growth/ended_series.hpp"
#include "compare/growth/forecast.hpp"
#include "compare/read/samples/sample_series.hpp"

namespace hbm {

/// The live blocks of a tag at a moment.
struct tag_moment {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    std::optional<std::uint64_t> oldest_steps = {};  ///< how many steps ended since the oldest block was allocated;
                                                     ///< empty without blocks, or where that is not known

    friend bool operator==(const tag_moment&, const tag_moment&) = default;
};

/// What is known of a tag.
struct tag_growth {
    std::string name = {};                       ///< empty: blocks without a tag
    bool is_programs = false;                    ///< programs, which stand for a tag
    bool is_several = false;                     ///< tags that were counted together, because there are very many
    tag_moment at_peak = {};                     ///< when the most was live in all
    tag_moment at_end = {};                      ///< at the end, or when a row failed
    std::uint64_t most = 0;                      ///< the most bytes that it ever had
    std::optional<growth_forecast> growth = {};  ///< empty: it does not grow
    std::uint64_t risen_bytes = 0;               ///< by how much its floor rose since the headline's growth began

    friend bool operator==(const tag_growth&, const tag_growth&) = default;
};

/// Steps of which nothing is known, between two that are known: by as much memory rose from the one to the other.
struct growth_gap {
    std::uint64_t begin = 0;  ///< the last step before
    std::uint64_t end = 0;    ///< the first step after
    std::uint64_t risen_bytes = 0;

    friend bool operator==(const growth_gap&, const growth_gap&) = default;
};

/// A series of steps, judged.
struct growth_summary {
    std::string source = {};         ///< a file or a workload
    std::string step_name = "step";  ///< what a step is called: "step", "run"
    std::uint64_t rows_a_step = 0;   ///< of a trace whose steps are so many rows each; else 0
    growth_unit unit = growth_unit::steps;
    std::vector<std::uint64_t> positions = {};  ///< for each step its number or its time; empty for plain steps
    std::uint64_t steps = 0;
    std::uint64_t samples = 0;  ///< of samples that lie unevenly how many they are: `steps` are equal parts; else 0
    std::optional<std::uint64_t> capacity = {};  ///< empty: unknown
    std::uint64_t peak_bytes = 0;
    std::uint64_t peak_step = 0;
    std::uint64_t end_bytes = 0;
    std::optional<growth_forecast> growth = {};    ///< of all together
    std::optional<growth_forecast> evicting = {};  ///< of what cannot be evicted: buffers and the program that runs;
                                                   ///< empty without programs, and where that is not known
    std::optional<growth_spike> spike = {};        ///< of all together
    std::vector<tag_growth> tags = {};             ///< those that grow first, then by bytes at the end
    bool has_tags = false;                         ///< whether blocks are known, not only their sum
    bool marks_no_steps = false;  ///< the trace marks no steps, and none were found in it: no verdict can be believed
    bool finds_steps = false;     ///< the trace marks no steps, but its rows repeat: after a step, or a layer of a step
    bool is_instant = false;      ///< nothing is ever freed or run: a picture of a moment, not a history
    std::uint64_t varied_bytes = 0;  ///< how far the floors of all together lie apart since the headline's growth began
    std::optional<std::uint64_t> passed_step = {};  ///< the first step that had more than the capacity
    bool has_limit = false;                         ///< the capacity is the `bytes_limit` of samples
    std::optional<growth_jump> jump = {};  ///< of all together: what grows, or does not, does so before and after it
    std::optional<growth_rise> rise = {};  ///< of all together, without the jump: no steady growth is proven, but the
                                           ///< end is above the beginning
    std::optional<growth_gap> gap = {};    ///< without samples, where alone memory seems to grow: that is not believed

    /// How many steps or samples were seen.
    [[nodiscard]] std::uint64_t seen() const noexcept { return samples != 0 ? samples : steps; }

    /// The tag that the growth is about: the one that grows most, or else the one whose floor has risen most; null if
    /// there is none. O(tags).
    [[nodiscard]] const tag_growth* culprit() const noexcept;
    /// The growth that the sentence is about: of all together, or, if that is lost in what else happens, of the tag
    /// that grows most; empty if nothing grows. O(tags).
    [[nodiscard]] std::optional<growth_forecast> headline() const;

    /// Where a step is: its number or time. Steps beyond the last are as far apart as all of them are on average.
    [[nodiscard]] std::uint64_t position(std::uint64_t step) const noexcept;
    /// The slope of `of` in millionths of a byte for each step, or number, or hour. The largest number on overflow.
    [[nodiscard]] std::uint64_t micro_rate(const steady_growth& of) const noexcept;

    friend bool operator==(const growth_summary&, const growth_summary&) = default;

    /// Whether nothing is known to grow, but all together ends above where it began. O(tags).
    [[nodiscard]] bool is_unproven() const { return rise && !headline(); }
};

/// Orders the tags: the fastest first, then by bytes at the end, by the most, by name. O(tags log tags).
void rank(growth_summary& summary);

}  // namespace hbm
