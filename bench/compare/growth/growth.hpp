#pragma once
// Growth in a trace, by tag, or in samples of the memory in use.

#include <hbm/growth/growth_series.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/read/samples/samples.hpp"
#include "compare/replay/workload.hpp"

namespace hbm {

/// Fewer steps that repeat may be the layers of a model, and growth in fewer is less certain.
inline constexpr std::uint64_t certain_growth_steps = 40;

/// Returns a series for so many steps: the narrowest windows have one step up to 80 steps, so that a short series has
/// enough of them, and the usual number in long ones.
[[nodiscard]] growth_series series_for(std::uint64_t steps);

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
    std::optional<steady_growth> growth = {};  ///< growth; empty: it does not grow

    /// Returns the growth in millionths of a byte a step; 0 without any.
    [[nodiscard]] std::uint64_t micro_rate() const noexcept { return growth ? growth->micro_bytes_a_step() : 0; }

    friend bool operator==(const tag_growth&, const tag_growth&) = default;
};

/// What is known about a series of steps.
struct growth_summary {
    std::string source = {};         ///< file or workload, and device
    std::string step_name = "step";  ///< word for a step: "step", "run", "sample"
    std::uint64_t rows_a_step = 0;   ///< rows of each step, in a trace with steps of equal length; else 0
    growth_unit unit = growth_unit::steps;
    std::uint64_t first = 1;  ///< number or time of the first step, and of the last
    std::uint64_t last = 1;
    std::uint64_t steps = 0;                     ///< steps at even distances
    std::uint64_t samples = 0;                   ///< samples; for a trace its steps
    std::optional<std::uint64_t> capacity = {};  ///< capacity; empty: unknown
    bool has_limit = false;                      ///< true if the capacity is the `bytes_limit` of samples
    std::uint64_t peak_bytes = 0;
    std::uint64_t peak_at = 0;                    ///< number or time of the peak
    std::optional<std::uint64_t> passed_at = {};  ///< number or time at which the capacity was exceeded first
    std::uint64_t end_bytes = 0;
    std::uint64_t granted_bytes = 0;            ///< `end_bytes` with each block in whole quanta, of an instant; else 0
    std::optional<steady_growth> growth = {};   ///< growth of all together
    std::optional<steady_growth> stopped = {};  ///< growth of all together that has stopped
    std::optional<std::uint64_t> visible = {};  ///< least growth that would be seen, in millionths of a byte a step
    bool varies = false;                        ///< false if all steps are alike
    std::vector<tag_growth> tags = {};          ///< tags: growing ones first, then by bytes at the end
    bool has_tags = false;                      ///< true if blocks are given, false for their sum alone
    bool marks_no_steps = false;  ///< true if the trace marks no steps, and none were found: no verdict is reliable
    bool finds_steps = false;     ///< true if rows repeat in a trace without marks: after a step, or a layer of one
    bool is_instant = false;      ///< true if nothing is ever freed or run: a snapshot of a moment, not a history

    /// Returns the tag that grows most; null if none does. Cost: O(1).
    [[nodiscard]] const tag_growth* culprit() const noexcept {
        return tags.empty() || !tags.front().growth ? nullptr : &tags.front();
    }
    /// Returns the growth of all together or, if other changes hide it, that of the fastest tag, with the end of all
    /// memory. Empty if nothing grows.
    [[nodiscard]] std::optional<steady_growth> headline() const;
    /// Returns the number or time of a step.
    [[nodiscard]] std::uint64_t position(std::uint64_t step) const noexcept;
    /// Returns millionths of a byte for each number, or hour, of so many for each step. Saturates on overflow.
    [[nodiscard]] std::uint64_t micro_rate(std::uint64_t micro_bytes_a_step) const noexcept;

    friend bool operator==(const growth_summary&, const growth_summary&) = default;
};

}  // namespace hbm

namespace hbm::trace {

/// Quantum for sizes as the trace has them. Blocks without bytes then do not count.
inline constexpr std::uint64_t exact_sizes = 0;

/// Returns the growth in the first `rows` rows of `trace`: all of it, or up to a row that failed. Sizes are granted in
/// quanta of `quantum` bytes, or exact for `exact_sizes`. Cost: O(rows + steps x tags).
[[nodiscard]] growth_summary growth_of(const workload& trace, std::uint64_t quantum,
                                       std::optional<std::uint64_t> capacity = std::nullopt,
                                       std::size_t rows = ~std::size_t{0});

}  // namespace hbm::trace

namespace hbm::imported {

/// Returns the growth of a series of samples; without a capacity, its limit counts. Cost: O(samples).
[[nodiscard]] growth_summary growth_of(const sample_series& series, std::string source,
                                       std::optional<std::uint64_t> capacity = std::nullopt);

}  // namespace hbm::imported
