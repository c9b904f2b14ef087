#pragma once
/// Interrupts that keep finished work.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hbm::compare {

/// Returns a line of at most `width` characters: a bar, the percentage, the seconds left if known, and words.
/// Cost: O(width).
[[nodiscard]] std::string progress_line(std::uint64_t percent, std::optional<std::uint64_t> seconds_left,
                                        std::string_view words, std::size_t width);

/// Line on the terminal with the present work and the remaining time. It is written to stderr, overwritten, and erased
/// at the end.
class progress {
public:
    /// `whole` is the total work, in any unit. Writes nothing unless `shown`.
    progress(bool shown, std::uint64_t whole) : shown_(shown), whole_(whole) {}
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    /// Shows the next work. Cost: O(length), at most ten times a second.
    void show(std::string_view workload, std::string_view manager);
    void show(std::string_view words);
    /// Adds finished work.
    void advance(std::uint64_t work) { done_ += work; }

private:
    using clock = std::chrono::steady_clock;

    void clear();

    bool shown_;
    bool dirty_ = false;
    std::uint64_t whole_;
    std::uint64_t done_ = 0;
    clock::time_point begin_ = clock::now();
    clock::time_point last_;
};

/// Handling of interrupts during the lifetime of this object. Once some work is finished, the first interrupt requests
/// a stop. The next ends the program, as every interrupt does otherwise. Requires: at most one object at a time.
class stop_request {
public:
    stop_request();
    ~stop_request();
    stop_request(const stop_request&) = delete;
    stop_request& operator=(const stop_request&) = delete;

    /// Records that a stop would keep some work. Safe from several threads.
    static void something_is_finished() noexcept;

    /// Returns true if a stop was requested. Safe from several threads.
    [[nodiscard]] static bool is_made() noexcept;

    /// Takes an interrupt as a request, for the handler of the signal; returns false if the interrupt must end the
    /// program.
    [[nodiscard]] static bool take() noexcept;
};

}  // namespace hbm::compare
