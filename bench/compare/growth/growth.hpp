#pragma once
// Growth in a trace, by tag: without a manager, from the live blocks of the rows.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/growth/forecast.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/replay/workload.hpp"

namespace hbm {

/// Live blocks of a tag at a moment.
struct tag_moment {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    std::optional<std::uint64_t> oldest_steps = {};  ///< age of the oldest block in steps; empty: none, or unknown

    friend bool operator==(const tag_moment&, const tag_moment&) = default;
};

/// Growth of a tag.
struct tag_growth {
    std::string name = {};     ///< name; empty: blocks without a tag
    bool is_programs = false;  ///< true for programs, which stand for a tag
    bool is_several = false;   ///< true for tags that were counted together, because there are very many
    tag_moment at_peak = {};   ///< live blocks at the peak of all memory
    tag_moment at_end = {};    ///< live blocks at the end, or when a row failed
    std::uint64_t most = 0;    ///< peak of its bytes
    std::optional<growth_forecast> growth = {};  ///< growth; empty: it does not grow
    std::uint64_t risen_bytes = 0;               ///< rise of its floor since the headline's growth began

    friend bool operator==(const tag_growth&, const tag_growth&) = default;
};

/// Steps without data between two with data: memory rose in between.
struct growth_gap {
    std::uint64_t begin = 0;  ///< last step before the gap
    std::uint64_t end = 0;    ///< first step after the gap
    std::uint64_t risen_bytes = 0;

    friend bool operator==(const growth_gap&, const growth_gap&) = default;
};

/// Judgement of a series of steps.
struct growth_summary {
    std::string source = {};         ///< file or workload
    std::string step_name = "step";  ///< word for a step: "step", "run"
    std::uint64_t rows_a_step = 0;   ///< rows of each step, in a trace with steps of equal length; else 0
    growth_unit unit = growth_unit::steps;
    std::vector<std::uint64_t> positions = {};  ///< number or time of each step; empty for plain steps
    std::uint64_t steps = 0;
    std::uint64_t samples = 0;  ///< number of samples that lie unevenly, with `steps` equal parts; else 0
    std::optional<std::uint64_t> capacity = {};  ///< capacity; empty: unknown
    std::uint64_t peak_bytes = 0;
    std::uint64_t peak_step = 0;
    std::uint64_t end_bytes = 0;
    std::uint64_t granted_bytes = 0;             ///< `end_bytes` with each block in whole quanta, of an instant; else 0
    std::optional<growth_forecast> growth = {};  ///< growth of all together
    std::optional<growth_forecast> evicting = {};  ///< growth of blocks that cannot be evicted: buffers and the running
                                                   ///< program; empty without programs, or if unknown
    std::optional<growth_spike> spike = {};        ///< spike of all together
    std::vector<tag_growth> tags = {};             ///< tags: growing ones first, then by bytes at the end
    bool has_tags = false;                         ///< true if blocks are given, false for their sum alone
    bool marks_no_steps = false;     ///< true if the trace marks no steps, and none were found: no verdict is reliable
    bool finds_steps = false;        ///< true if rows repeat in a trace without marks: after a step, or a layer of one
    bool is_instant = false;         ///< true if nothing is ever freed or run: a snapshot of a moment, not a history
    std::uint64_t varied_bytes = 0;  ///< range of the floors of all together since the headline's growth began
    std::optional<std::uint64_t> passed_step = {};  ///< first step above the capacity
    bool has_limit = false;                         ///< true if the capacity is the `bytes_limit` of samples
    std::optional<growth_jump> jump = {};           ///< jump of all together; growth is judged before and after it
    std::optional<growth_rise> rise = {};  ///< rise of all together, without the jump: the end is above the beginning,
                                           ///< but steady growth is not proven
    std::optional<growth_gap> gap = {};    ///< gap that alone accounts for the apparent growth, which is not reported

    /// Returns the number of steps or samples.
    [[nodiscard]] std::uint64_t seen() const noexcept { return samples != 0 ? samples : steps; }

    /// Returns the tag of the growth: the one that grows most, or else the one whose floor has risen most; null if
    /// there is none.
    /// Cost: O(tags).
    [[nodiscard]] const tag_growth* culprit() const noexcept;
    /// Returns the growth for the sentence: that of all together, or, if other changes hide it, that of the fastest
    /// tag. Empty if nothing grows.
    /// Cost: O(tags).
    [[nodiscard]] std::optional<growth_forecast> headline() const;

    /// Returns the number or time of a step. Steps beyond the last have the average distance of all steps.
    [[nodiscard]] std::uint64_t position(std::uint64_t step) const noexcept;
    /// Returns the slope of `line` in millionths of a byte for each step, or number, or hour. Saturates on overflow.
    [[nodiscard]] std::uint64_t micro_rate(const steady_growth& line) const noexcept;

    friend bool operator==(const growth_summary&, const growth_summary&) = default;

    /// Returns true if no growth is proven, but all together ends above its beginning. Cost: O(tags).
    [[nodiscard]] bool is_unproven() const { return rise && !headline(); }
};

/// Orders the tags: the fastest first, then by bytes at the end, by the peak, by name. Cost: O(tags log tags).
void rank(growth_summary& summary);

}  // namespace hbm

namespace hbm::trace {

/// Quantum for sizes as the trace has them. Blocks without bytes then do not count.
inline constexpr std::uint64_t exact_sizes = 0;

/// Returns the growth in the first `rows` rows of `trace`: all of it, or up to a row that failed. Sizes are granted in
/// quanta of `quantum` bytes, or exact for `exact_sizes`. `capacity`, if given, allows a forecast of the end of memory.
/// Cost: O(rows + steps x tags).
[[nodiscard]] growth_summary growth_of(const workload& trace, std::uint64_t quantum,
                                       std::optional<std::uint64_t> capacity = std::nullopt,
                                       std::size_t rows = ~std::size_t{0});

}  // namespace hbm::trace
