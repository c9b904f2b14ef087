#include "compare/replay/stream_clock.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>

namespace hbm::trace {

std::uint64_t stream_clock::enqueue(std::size_t stream, std::uint64_t nanoseconds) noexcept {
    return ends_[stream] = saturating_add(std::max(ends_[stream], now_), nanoseconds);
}

void stream_clock::hold(std::size_t stream, std::uint64_t until) noexcept {
    ends_[stream] = std::max(ends_[stream], until);
}

void stream_clock::wait(std::uint64_t until) noexcept {
    now_ = std::max(now_, until);
}

replay_clock::replay_clock(copying how, std::size_t streams)
    : copies_(how == copying::on_compute ? 0 : streams), with_(streams + 1), without_(streams + 1) {}

void replay_clock::run(std::size_t stream, std::uint64_t nanoseconds, std::uint64_t fence) {
    work(stream, nanoseconds, fence);
    runs_over_.with = std::max(runs_over_.with, fences_[fence].with);
    runs_over_.without = std::max(runs_over_.without, fences_[fence].without);
}

void replay_clock::work(std::size_t stream, std::uint64_t nanoseconds, std::uint64_t fence) {
    if (fences_.size() <= fence) fences_.resize(fence + 1);
    fences_[fence] = {with_.enqueue(stream, nanoseconds), without_.enqueue(stream, nanoseconds)};
}

void replay_clock::reload(std::size_t stream, std::uint64_t nanoseconds) {
    with_.enqueue(stream, nanoseconds);
    without_.enqueue(stream, nanoseconds);
}

void replay_clock::move(std::uint64_t nanoseconds) {
    wait(begin_moves(nanoseconds));
}

replay_clock::moment replay_clock::begin_moves(std::uint64_t nanoseconds) {
    return {with_.enqueue(copies_, nanoseconds), without_.now()};
}

void replay_clock::wait(moment until) noexcept {
    with_.wait(until.with);
    without_.wait(until.without);
}

void replay_clock::wait_for(std::uint64_t fence) noexcept {
    wait(over(fence));
}

void replay_clock::hold(std::size_t stream, std::uint64_t fence) noexcept {
    with_.hold(stream, over(fence).with);
    without_.hold(stream, over(fence).without);
}

replay_clock::moment replay_clock::over(std::uint64_t fence) const noexcept {
    return fence < fences_.size() ? fences_[fence] : moment{};
}

}  // namespace hbm::trace
