#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// The reason why no output took over a donated input.
enum class donation_miss : std::uint8_t {
    no_output_of_its_size,  ///< no output of the run has its size
    outputs_were_taken,     ///< every output of its size took over another input
    not_chosen,  ///< an output of its size was allocated: the policy donates nothing, or one of them was bound to
                 ///< another partner
};

/// A donated input that was freed after its run because no output took it over. Sizes in bytes.
struct refused_offer {
    donation_miss why = donation_miss::no_output_of_its_size;
    tag label = tag::none;      ///< tag of the input
    extent where = {};          ///< range that it occupied
    std::uint64_t closest = 0;  ///< closest size of an output of the run; 0 without outputs
    fence run = {};             ///< fence of the run

    friend constexpr bool operator==(const refused_offer&, const refused_offer&) = default;
};

/// An observer that keeps the latest donated inputs that no output took over, each with the reason.
/// Excluded: inputs that a run keeps, and runs that fail because of their arguments. Sizes are those of the blocks.
class donation_audit {
public:
    static constexpr fixed_string name{"donation_audit"};

    constexpr donation_audit() : donation_audit(32) {}
    constexpr explicit donation_audit(std::size_t max_kept) : max_kept_(max_kept) {}

    /// Returns the kept offers, oldest first, and the count of all refused offers.
    [[nodiscard]] constexpr const trivial_vector<refused_offer>& refused() const noexcept { return refused_; }
    [[nodiscard]] constexpr std::uint64_t refusals() const noexcept { return refusals_; }

    /// Starts to observe a manager, which may have been in use before.
    template <class Memory>
    constexpr void look_at(const Memory& memory) {
        offered_ = memory.done_so_far().donations_offered;
        outputs_.clear();
    }

    /// Cost: O(1) for most events; O(outputs of the run + kept offers) for a donated input that was not taken.
    template <class Memory>
    constexpr void on(const event& e, const Memory& memory) {
        // From the count of a run's offers to its event, new blocks are outputs, and blocks that go were donated. The
        // run's fence does not begin that time: work of the user's own and copies on streams have fences, too.
        const std::uint64_t offered = memory.done_so_far().donations_offered;
        if (offered == offered_) return;
        if (e.what == event_kind::allocated || e.what == event_kind::donated)
            outputs_.push_back({e.where.size, e.what == event_kind::donated});
        if (e.what == event_kind::freed || e.what == event_kind::deferred) keep(judge(e, memory.issued()));
        if (e.what == event_kind::ran) {
            offered_ = offered;
            outputs_.clear();
        }
    }

    friend constexpr bool operator==(const donation_audit&, const donation_audit&) = default;

private:
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
    std::uint64_t offered_ = 0;  // donated inputs of all runs up to the latest `ran`
};

static_assert(observer<donation_audit>);

}  // namespace hbm::inline v0
