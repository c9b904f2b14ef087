#pragma once

/// An observer that tells why donated inputs were not taken over.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// Why no output took over a donated input.
enum class donation_miss : std::uint8_t {
    no_output_of_its_size,  ///< no output of the run has its size
    outputs_were_taken,     ///< every output of its size took over another input
    not_chosen,             ///< an output of its size was allocated all the same: the policy donates nothing, or the
                            ///< input or the output was bound to another partner
};

/// A donated input that was freed after its run because no output took it over. Sizes in bytes.
struct refused_offer {
    donation_miss why = donation_miss::no_output_of_its_size;
    tag label = tag::none;      ///< of the input
    extent where = {};          ///< the range that it occupied
    std::uint64_t closest = 0;  ///< size of the run's output that comes closest to its own; 0 without outputs
    fence run = {};             ///< the fence of the run in which it was offered

    friend constexpr bool operator==(const refused_offer&, const refused_offer&) = default;
};

/// Keeps the latest donated inputs that were not taken over, each with the reason. It hears neither of donated inputs
/// that a run keeps nor of runs that fail because of their arguments, which the failure describes. Sizes are those of
/// the blocks.
class donation_audit {
public:
    static constexpr fixed_string name{"donation_audit"};

    constexpr donation_audit() : donation_audit(32) {}
    /// Keeps the latest `max_kept` offers.
    constexpr explicit donation_audit(std::size_t max_kept) : max_kept_(max_kept) {}

    /// The kept offers, oldest first; and how many offers were refused in total.
    [[nodiscard]] constexpr const trivial_vector<refused_offer>& refused() const noexcept { return refused_; }
    [[nodiscard]] constexpr std::uint64_t refusals() const noexcept { return refusals_; }

    /// Starts to observe a manager, which may have been in use before.
    template <class Memory>
    constexpr void look_at(const Memory& memory) {
        last_run_ = memory.issued();
        outputs_.clear();
    }

    /// O(1) for most events; O(outputs of the run + kept offers) for a donated input that was not taken.
    template <class Memory>
    constexpr void on(const event& e, const Memory& memory) {
        // A run's fence is issued before it hands its arguments over and heard of afterwards: in between whatever comes
        // to be is an output, and whatever goes was donated.
        const fence run = memory.issued();
        if (run == last_run_) return;
        if (e.what == event_kind::allocated || e.what == event_kind::donated)
            outputs_.push_back({e.where.size, e.what == event_kind::donated});
        if (e.what == event_kind::freed || e.what == event_kind::deferred) keep(judge(e, run));
        if (e.what == event_kind::ran) {
            last_run_ = run;
            outputs_.clear();
        }
    }

    friend constexpr bool operator==(const donation_audit&, const donation_audit&) = default;

private:
    /// An output of the present run.
    struct output_seen {
        std::uint64_t bytes = 0;
        bool took_over = false;

        friend constexpr bool operator==(const output_seen&, const output_seen&) = default;
    };

    [[nodiscard]] constexpr refused_offer judge(const event& donor, fence run) const {
        refused_offer offer{.label = donor.label, .where = donor.where, .run = run};
        const auto distance = [&](std::uint64_t bytes) {
            return bytes > donor.where.size ? bytes - donor.where.size : donor.where.size - bytes;
        };
        for (const output_seen& output : outputs_) {
            if (offer.closest == 0 || distance(output.bytes) < distance(offer.closest)) offer.closest = output.bytes;
            if (output.bytes != donor.where.size) continue;
            if (!output.took_over)
                offer.why = donation_miss::not_chosen;
            else if (offer.why == donation_miss::no_output_of_its_size)
                offer.why = donation_miss::outputs_were_taken;
        }
        return offer;
    }

    constexpr void keep(const refused_offer& offer) {
        ++refusals_;
        if (max_kept_ == 0) return;
        if (refused_.size() == max_kept_) refused_.erase(refused_.begin());
        refused_.push_back(offer);
    }

    trivial_vector<refused_offer> refused_;
    trivial_vector<output_seen> outputs_;
    std::size_t max_kept_;
    std::uint64_t refusals_ = 0;
    fence last_run_;
};

static_assert(observer<donation_audit>);

}  // namespace hbm
