#include "compare/jobs/progress.hpp"

#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <unistd.h>

#include "compare/text/text.hpp"

namespace hbm::compare {

void progress::show(std::string_view workload, std::string_view manager) {
    if (!shown_) return;
    const clock::time_point now = clock::now();
    if (dirty_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    std::string line = "\r\x1b[K" + std::to_string(whole_ == 0 ? 0 : done_ * 100 / whole_) + "% ";
    const auto spent =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now - begin_).count());
    if (done_ != 0 && done_ <= whole_ && spent > 500)
        line += "(about " + std::to_string((spent * (whole_ - done_) / done_ + 999) / 1000) + " s left) ";
    constexpr std::size_t widest = 78;
    line += trace::printable(std::string(workload) + " under " + std::string(manager));
    line.resize(line.size() < widest ? line.size() : widest);
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    dirty_ = true;
}

void progress::clear() {
    if (dirty_) std::fputs("\r\x1b[K", stderr);
    dirty_ = false;
}

namespace {

enum class state : int { none, waiting, worthwhile, made };

// A handler of a signal may use nothing that takes a lock.
std::atomic<state> stopping{state::none};
static_assert(std::atomic<state>::is_always_lock_free);

constexpr std::string_view promise =
    "\nhbm_compare: interrupted: what is finished follows when the managers at work are done; "
    "another interrupt ends the program at once\n";

}  // namespace

stop_request::stop_request() {
    stopping = state::waiting;
}

stop_request::~stop_request() {
    stopping = state::none;
}

void stop_request::something_is_finished() noexcept {
    state expected = state::waiting;
    stopping.compare_exchange_strong(expected, state::worthwhile);
}

bool stop_request::is_made() noexcept {
    return stopping == state::made;
}

bool stop_request::take() noexcept {
    state expected = state::worthwhile;
    if (!stopping.compare_exchange_strong(expected, state::made)) return false;
    // Nothing is to be done about a terminal that is gone.
    [[maybe_unused]] const auto ignored = write(STDERR_FILENO, promise.data(), promise.size());
    return true;
}

}  // namespace hbm::compare
