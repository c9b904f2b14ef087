#pragma once
/// Memory of a program at several batch sizes, and the largest batch that fits a device.

#include <hbm/core/memory_spec.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::compare {

/// Part of a program's memory, in the order of `part_names`.
enum class part : std::uint8_t { arguments, outputs, temporaries, constants };

inline constexpr std::array<std::string_view, 4> part_names{"arguments", "outputs", "temporaries", "constants"};

/// Memory of the program at a batch size, in bytes of one device. What the text does not state is empty.
struct batch_sample {
    std::uint64_t batch = 0;
    std::string file;
    std::string program;
    std::optional<std::uint64_t> need;                                  ///< all parts together
    std::array<std::optional<std::uint64_t>, part_names.size()> parts;  ///< outputs: those in new memory
    std::optional<std::uint64_t> capacity;                              ///< memory of the device, if stated

    [[nodiscard]] std::optional<std::uint64_t>& of(part which) noexcept {
        return parts[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] const std::optional<std::uint64_t>& of(part which) const noexcept {
        return parts[static_cast<std::size_t>(which)];
    }
};

/// Growth of a size with the batch, along a line.
struct batch_line {
    std::uint64_t slope = 0;  ///< bytes for each more of the batch, rounded up; 0 if it does not grow
    std::uint64_t fixed = 0;  ///< bytes at a batch of 0
};

/// Largest batch that fits.
struct batch_fit {
    std::vector<batch_sample> samples;  ///< samples in ascending order of the batch; `need` is set in all of them
    bool of_temporaries = false;        ///< true if `need` is of temporaries alone, which not all samples exceed
    std::uint64_t capacity = 0;
    batch_line need;
    std::array<std::optional<batch_line>, part_names.size()> parts;  ///< lines of the parts that all samples state
    std::vector<std::size_t> falls;      ///< positions of samples that need less than the one before them
    std::optional<std::uint64_t> batch;  ///< largest batch that fits; empty if the need does not grow with the batch
    bool is_measured = false;            ///< true if a sample has this batch, or memory is not monotonic
};

/// Finds the largest batch that fits. A line through the two samples around the capacity, or the two nearest, decides.
/// If memory is not monotonic, only a batch of the samples is certain.
/// Requires: at least two samples, each of another batch; all have `need`, or all have temporaries.
/// Cost: O(n log n).
[[nodiscard]] batch_fit fit_batch(std::vector<batch_sample> samples, std::uint64_t capacity);

/// Returns the answer as text of at most 80 columns; `device` is in words. Cost: O(samples).
[[nodiscard]] std::string batch_answer(const batch_fit& fit, std::string_view device);

/// Returns the answer as JSON, schema `hbm-batch/1`. Cost: O(samples).
[[nodiscard]] std::string batch_json(const batch_fit& fit);

}  // namespace hbm::compare
