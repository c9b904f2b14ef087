#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace runtime_client {

/// The part of a device that computes and copies: a thread that does what it is given, in that order.
class device_queue {
public:
    device_queue() : worker_([this] { work(); }) {}
    device_queue(const device_queue&) = delete;
    device_queue& operator=(const device_queue&) = delete;
    /// Finishes all that was submitted.
    ~device_queue() {
        {
            const std::lock_guard held(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        worker_.join();
    }

    /// Submits work under the number of its fence; numbers rise.
    void submit(std::uint64_t number, std::function<void()> work) {
        {
            const std::lock_guard held(mutex_);
            waiting_.emplace_back(number, std::move(work));
        }
        changed_.notify_all();
    }
    /// Returns when no work under `number`, or a lower one, is left. Work may wait for what was submitted before it.
    void wait(std::uint64_t number) {
        std::unique_lock held(mutex_);
        changed_.wait(held, [&] {
            return (running_ == 0 || running_ > number) && (waiting_.empty() || waiting_.front().first > number);
        });
    }

private:
    void work() {
        std::unique_lock held(mutex_);
        while (true) {
            changed_.wait(held, [&] { return ending_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            const auto [number, next] = std::move(waiting_.front());
            waiting_.pop_front();
            running_ = number;
            held.unlock();
            next();
            held.lock();
            running_ = 0;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::pair<std::uint64_t, std::function<void()>>> waiting_;
    std::uint64_t running_ = 0;  // number of the work in progress; 0: none
    bool ending_ = false;
    std::thread worker_;  // last: it uses all of the above
};

}  // namespace runtime_client
