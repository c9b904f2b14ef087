#pragma once

/// Looks for what would make an attempt succeed, and offers what did when it was tried.

#include <hbm/report/combinations.hpp>
#include <hbm/report/sort_stably.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm {

/// Whether the very same attempt can be made to succeed by waiting, moving, evicting, unpinning or donating.
enum class verdict : std::uint8_t {
    found,
    none_found,        ///< that does not prove that there is none
    not_enough_bytes,  ///< there is none: too few are free even after all of that
    walls,             ///< there is none: enough are free after all of that, but nothing brings them together
};

/// The remedies for an attempt that failed for want of room. Each was tried on a fork of its own.
template <class Memory>
class remedy_finder {
    using P = typename Memory::placement_type;

public:
    /// `why` is the reason for which it failed.
    remedy_finder(const Memory& memory, const attempt& tried, error why)
        : origin_(memory.fork()), tried_(tried), why_(why) {
        (void)origin_.finish_moves();  // comes before every remedy, and cannot fail on a fork
    }

    /// Cheapest first; what cannot be had at any time, another request or another memory, last.
    [[nodiscard]] const std::vector<advice>& find() {
        std::optional<demand<P>> wanted = demand<P>::of(origin_, tried_);
        if (!wanted) return found_;
        combinations<P> relief{*wanted, origin_.blocks()};
        needed_ = judge(*wanted, relief.after_everything());
        if (verdict_ == verdict::none_found) relief.find([&](const advice& given) { return offer(given); });
        donate_more();
        if (!found_.empty()) verdict_ = verdict::found;
        ask_for_less();
        grow();
        sort_stably(found_, [](const advice& a, const advice& b) { return a.nanoseconds() < b.nanoseconds(); });
        return found_;
    }
    /// After `find`.
    [[nodiscard]] verdict conclusion() const noexcept { return verdict_; }
    /// How many bytes it takes at least that are not there even after everything; 0 if there are enough.
    [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }

private:
    static constexpr std::size_t max_arguments = 64;  // that are tried as donors
    static constexpr std::uint64_t few_lengths = 64;  // that are tried one by one

    [[nodiscard]] bool works(const advice& given) const {
        auto fork = origin_.fork();
        attempt again = tried_;
        return apply(given, fork, again, why_) && again.on(fork).reason == error::none;
    }
    bool offer(const advice& given) {
        const bool good = works(given);
        if (good) found_.push_back(given);
        return good;
    }

    /// Whether enough bytes are free after everything, and can be brought together. Returns how many bytes it takes.
    std::uint64_t judge(const demand<P>& wanted, const memory_state<P>& later) {
        const std::uint64_t free = later.bytes(later.blocks.map().free());
        const std::uint64_t needed = wanted.bytes_in(later);
        missing_ = needed > free ? needed - free : 0;
        if (missing_ != 0)
            verdict_ = verdict::not_enough_bytes;
        else if (wanted.moves_in(later).first == search_end::exhausted)
            verdict_ = verdict::walls;
        return needed;
    }

    /// Each single argument of the run that is enough; if there is none, as few as will do.
    void donate_more() {
        if (tried_.what() != attempt::kind::run) return;
        const auto taken_with = [&](const attempt& changed) {
            return changed.with_run([&](const run_spec& spec) {
                std::size_t taken = 0;
                for (const std::uint32_t donor : origin_.donors_of(spec)) taken += donor != no_index;
                return taken;
            });
        };
        const std::size_t taken = taken_with(tried_);
        advice all;
        bool one_is_enough = false;
        for (const std::uint32_t argument : tried_.could_donate()) {
            if (all.donate.size() == max_arguments) break;
            if (origin_.pins(tried_.argument(argument)) != 0) continue;
            attempt changed = tried_;
            changed.donate(argument);
            if (taken_with(changed) <= taken) continue;
            all.donate.push_back(argument);
            one_is_enough = offer({.donate = {argument}}) || one_is_enough;
        }
        if (one_is_enough || all.donate.size() < 2 || !works(all)) return;
        for (std::size_t i = all.donate.size(); i-- > 0;) {
            advice fewer = all;
            fewer.donate.erase(fewer.donate.begin() + static_cast<std::ptrdiff_t>(i));
            if (works(fewer)) all = fewer;
        }
        offer(all);
    }

    /// True when less of it cannot fail where more succeeds; then halving finds the limit.
    [[nodiscard]] bool is_monotone() const noexcept { return tried_.what() == attempt::kind::allocate && !compacts<P>; }

    void ask_for_less() {
        attempt changed = tried_;
        const std::uint64_t* asked = changed.negotiable(why_);
        const std::uint64_t quantum = origin_.spec().quantum;
        if (asked == nullptr || *asked <= quantum) return;
        const auto enough = [&](std::uint64_t count) { return works({.ask_for = count * quantum}); };
        const std::uint64_t above = std::min((*asked - 1) / quantum, origin_.capacity_bytes() / quantum) + 1;
        std::uint64_t most = 0;
        for (std::uint64_t fails = above; fails - most > 1;) {
            const std::uint64_t middle = most + (fails - most) / 2;
            (enough(middle) ? most : fails) = middle;
        }
        if (!is_monotone() && above - most <= few_lengths)
            for (std::uint64_t count = above; --count > most;)
                if (enough(count)) most = count;
        if (most != 0) offer({.ask_for = most * quantum});
    }

    void grow() {
        if constexpr (can_grow<typename Memory::forked>) {
            const std::uint64_t quantum = origin_.spec().quantum;
            const std::uint64_t present = origin_.capacity_bytes() / quantum;
            const auto enough = [&](std::uint64_t count) { return works({.capacity = count * quantum}); };
            // A buddy's place may lie at the next multiple of a power of two.
            std::uint64_t most = present + needed_ / quantum;
            if (needed_ > ~std::uint64_t{0} / 8 || most > ~std::uint64_t{0} / 8 / quantum) return;
            if (!enough(most)) most = std::bit_ceil(most) * 2;
            if (!enough(most)) return;
            std::uint64_t fails = present;
            while (most - fails > 1) {
                const std::uint64_t middle = fails + (most - fails) / 2;
                (enough(middle) ? most : fails) = middle;
            }
            if (!is_monotone() && most - present <= few_lengths)
                for (std::uint64_t count = present + 1; count < most; ++count)
                    if (enough(count)) most = count;
            offer({.capacity = most * quantum});
        }
    }

    typename Memory::forked origin_;  // asked about arguments, never changed
    attempt tried_;
    error why_;
    std::uint64_t needed_ = 0;
    std::uint64_t missing_ = 0;
    verdict verdict_ = verdict::none_found;
    std::vector<advice> found_;
};

}  // namespace hbm
