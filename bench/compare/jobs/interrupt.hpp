#pragma once

/// Interrupts that keep finished work.

namespace hbm::compare {

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
