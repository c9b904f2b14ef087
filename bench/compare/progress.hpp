#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace hbm::compare {

/// A line on a terminal that says what is being done and how long the rest will take. Goes to stderr, is overwritten,
/// and leaves nothing after.
class progress {
public:
    /// `whole` is the work to come, in any unit. Writes nothing unless `shown`.
    progress(bool shown, std::uint64_t whole) : shown_(shown), whole_(whole) {}
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    /// What is done next.
    void show(std::string_view workload, std::string_view manager);
    /// So much more is done.
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

}  // namespace hbm::compare
