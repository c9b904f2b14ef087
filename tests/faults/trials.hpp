#pragma once

/// Trials of a call: without a fault, and then with a fault at each place where there can be one.

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/stage.hpp"
#include "manager/host_allocations.hpp"
#include "support/child_process.hpp"
#include "testing/seeds.hpp"

namespace hbm::test {

struct fault_counts {
    int managers = 0;
    int operations = 0;  ///< for each manager, and again with a move that is pending
    int pending = 0;     ///< of those, with a move that is pending
    int copies = 0;
    int device_failures = 0;  ///< calls that returned `device_failed`
    int exceptions = 0;
    int callbacks = 0;
    int exhaustions = 0;
};

inline void throw_now(void* /*argument*/) {
    throw thrown{};
}

/// A call back: an operation on the stage whose call is not over.
template <class Memory>
struct call_back {
    const operation<Memory>* inner = nullptr;
    stage<Memory>* on = nullptr;

    static void now(void* argument) {
        const auto* self = static_cast<const call_back*>(argument);
        static_cast<void>(self->inner->call(*self->on));
    }
};

/// Returns the operations that no observer or device may make.
template <class Memory>
std::vector<operation<Memory>> calls_back() {
    std::vector<operation<Memory>> list;
    for (operation<Memory>& tried : operations_of<Memory>())
        if (const std::string_view name = tried.name; name != "fork" && name != "copy" && !tried.prepare)
            list.push_back(std::move(tried));
    return list;
}

/// Calls an operation once without a fault, then on a new stage for each fault.
template <class Memory>
class trials {
public:
    trials(const operation<Memory>& tried, bool moves, fault_counts& sums) : tried_(tried), moves_(moves), sums_(sums) {
        stage<Memory> calm(moves);
        prepare(calm);
        sums_.pending += calm.memory.moving() ? 1 : 0;
        calm_error_ = tried.call(calm);
        events_ = calm.memory.events().events;
        copies_ = faults_of(calm.memory.device()).copies;
        after_.emplace(calm.memory.fork());
        CHECK(calm_error_ != error::device_failed);
        CHECK(calm.is_sound());
        CHECK(calm.empties());
        ++sums_.operations;
    }

    /// A call fails only as it does without a fault, or because the device does.
    void fail_copies() {
        for (std::uint64_t k = 0; k < copies_; ++k) {
            CAPTURE(k);
            stage<Memory> now(moves_);
            prepare(now);
            fail_after(now.memory.device(), k);
            const error why = tried_.call(now);
            CAPTURE(std::string(error_name(why)));
            CHECK((why == calm_error_ || why == error::none || why == error::device_failed));
            sums_.device_failures += why == error::device_failed;
            ++sums_.copies;
            CHECK(now.is_sound());
            CHECK(now.empties());
        }
    }
    void throw_at_copies() {
        for (std::uint64_t k = 1; k <= copies_; ++k) {
            CAPTURE(k);
            stage<Memory> now(moves_);
            prepare(now);
            faults_of(now.memory.device()).chosen = k;
            faults_of(now.memory.device()).act = throw_now;
            CHECK_THROWS_AS(static_cast<void>(tried_.call(now)), thrown);
            ++sums_.exceptions;
            CHECK(now.is_sound());
            CHECK(now.empties());
        }
    }
    void throw_at_events() {
        for (std::uint64_t k = 1; k <= events_; ++k) {
            CAPTURE(k);
            stage<Memory> now(moves_);
            prepare(now);
            now.memory.events().chosen = k;
            now.memory.events().act = throw_now;
            CHECK_THROWS_AS(static_cast<void>(tried_.call(now)), thrown);
            ++sums_.exceptions;
            CHECK((tried_.of_many_calls || now.memory.fork() == *after_));
            CHECK(now.is_sound());
            CHECK(now.empties());
        }
    }
    /// Makes each of `calls` in turn, beginning with `first`.
    void call_back_at_events_and_copies(const std::vector<operation<Memory>>& calls, std::size_t first) {
        for (std::uint64_t k = 1; k <= events_ + copies_; ++k) {
            const operation<Memory>& inner = calls[(first + k) % calls.size()];
            CAPTURE(k);
            CAPTURE(std::string(inner.name));
            const process_end end = run_in_child([&] {
                stage<Memory> now(moves_);
                prepare(now);
                call_back<Memory> back{&inner, &now};
                auto& device = faults_of(now.memory.device());
                auto& observer = now.memory.events();
                observer.act = device.act = call_back<Memory>::now;
                observer.argument = device.argument = &back;
                (k <= events_ ? observer.chosen : device.chosen) = k <= events_ ? k : k - events_;
                static_cast<void>(tried_.call(now));
            });
            ++sums_.callbacks;
            CHECK(end.signal == SIGILL);
            CHECK(end.messages == "hbm: an observer or device called the manager that called it\n");
        }
    }
    void exhaust_host() {
        for (std::size_t k = 0;; k += tries_all_seeds() ? 1U : 23U) {
            CAPTURE(k);
            const process_end end = run_in_child([&] {
                stage<Memory> now(moves_);
                prepare(now);
                exhaust_host_after(k);
                static_cast<void>(tried_.call(now));
                std::_Exit(7);
            });
            if (end.signal == 0 && end.status == 7) return;
            ++sums_.exhaustions;
            REQUIRE(end.signal == SIGABRT);
            CHECK(end.messages.find("bad_alloc") != std::string::npos);
        }
    }

private:
    void prepare(stage<Memory>& now) const {
        if (tried_.prepare) tried_.prepare(now);
        now.count_from_here();
    }

    const operation<Memory>& tried_;
    bool moves_;
    fault_counts& sums_;
    error calm_error_ = error::none;
    std::uint64_t events_ = 0;
    std::uint64_t copies_ = 0;
    std::optional<typename Memory::forked> after_;
};

/// Tries all calls of a manager, in this process or in children.
template <class Memory>
void try_all(fault_counts& sums, bool in_children) {
    const std::vector<operation<Memory>> all = operations_of<Memory>(), back = calls_back<Memory>();
    ++sums.managers;
    for (std::size_t at = 0; at < all.size(); ++at) {
        // Each trial is a process, slow under a sanitizer: slow builds try every fourth call, others for each manager.
        if (in_children && !tries_all_seeds() && (at + static_cast<std::size_t>(sums.managers)) % 4 != 0) continue;
        for (const bool moves : {false, true}) {
            if (moves && !compacts<typename Memory::placement_type>) continue;
            CAPTURE(std::string(Memory::full_name.c_str()));
            CAPTURE(std::string(all[at].name));
            CAPTURE(moves);
            trials<Memory> one(all[at], moves, sums);
            if (in_children) {
                one.call_back_at_events_and_copies(back, 3 * at);
                if (!moves) one.exhaust_host();
                continue;
            }
            one.fail_copies();
            one.throw_at_copies();
            one.throw_at_events();
        }
    }
}

}  // namespace hbm::test
