#include "compare/jobs/interrupt.hpp"

#include <atomic>
#include <string_view>
#include <unistd.h>

namespace hbm::compare {

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
