#pragma once

/// An interrupt that leaves what is finished, instead of nothing.

namespace hbm::compare {

/// While an object of this type lives, and something is worth keeping, the first interrupt asks for a stop; the next
/// ends the program, as every interrupt does otherwise. At most one at a time.
class stop_request {
public:
    stop_request();
    ~stop_request();
    stop_request(const stop_request&) = delete;
    stop_request& operator=(const stop_request&) = delete;

    /// Says that a stop would leave something. Safe from several threads.
    static void something_is_finished() noexcept;

    /// Whether a stop was asked for. Safe from several threads.
    [[nodiscard]] static bool is_made() noexcept;

    /// For the handler of the signal: takes an interrupt as a request; false if it has to end the program.
    [[nodiscard]] static bool take() noexcept;
};

}  // namespace hbm::compare
