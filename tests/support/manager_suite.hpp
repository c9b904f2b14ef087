#pragma once

#include <hbm/compact.hpp>
#include <hbm/testing/audit.hpp>
#include <hbm/testing/conformance.hpp>
#include <hbm/testing/random.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/manager_checks.hpp"

namespace hbm::inline v0::testing {

/// Returns a size in bytes that may find bugs: mostly one that could fit, sometimes a limit.
/// Limits: 0, the capacity and one more, all free bytes, the ends of 64 bits, about 2^32 quanta.
[[nodiscard]] constexpr std::uint64_t hostile_size(random_numbers& random, const claimed_sums& sums,
                                                   std::uint64_t quantum) noexcept {
    switch (random.below(40)) {
    case 0: return 0;
    case 1: return sums.capacity;
    case 2: return sums.capacity + 1;
    case 3: return ~std::uint64_t{0} - random.below(3);
    case 4: return ~std::uint64_t{0} - quantum + random.below(3);
    case 5: return (std::uint64_t{1} << 32) * quantum + random.below(3) - 1;
    case 6: return (std::uint64_t{1} << 63) + random.below(3) - 1;
    case 7: return sums.largest_free;
    case 8: return sums.free;
    default: return random.up_to(sums.capacity / (1 + random.below(12)));
    }
}

/// Returns an alignment in bytes: mostly 1, else a small or any power of two, or the invalid 3.
[[nodiscard]] constexpr std::uint64_t hostile_alignment(random_numbers& random, std::uint64_t quantum) noexcept {
    if (!random.once_in(4)) return 0;
    switch (random.below(8)) {
    case 0: return 3;
    case 1: return std::uint64_t{1} << random.below(64);
    default: return std::uint64_t{1} << random.below(4 + static_cast<std::uint64_t>(std::countr_zero(quantum)));
    }
}

/// A random story on one manager; see `conformance_manager`.
class manager_story : public manager_checks {
public:
    manager_story(tested_manager& subject, const memory_spec& spec, std::uint32_t salt, std::uint64_t seed)
        : manager_checks(subject, spec), salt_(salt), random_(seed ^ 0x6d616e61676572u) {}

    const char* step() {
        begin();
        const std::uint64_t chance = random_.below(24);
        const char* broken = chance == 0   ? pin()
                             : chance == 1 ? unpin()
                             : chance == 2 ? (random_.once_in(2) ? compact() : sync())
                             : chance == 3 ? import()
                             : chance == 4 ? load_again()
                             : chance == 5 ? evict()
                             : chance == 6 ? unload()
                             : chance == 7 ? use_a_bad_handle()
                             : chance < 10 ? load()
                             : chance < 14 ? run()
                             : chance < 18 ? free()
                                           : allocate();
        return broken != nullptr ? broken : look();
    }

private:
    // -- chance --

    std::uint64_t capacity() const { return sums_.blocks.capacity; }
    std::uint64_t any_size() { return hostile_size(random_, sums_.blocks, spec_.quantum); }
    std::uint64_t any_alignment() { return hostile_alignment(random_, spec_.quantum); }
    tag any_tag() { return static_cast<tag>(random_.below(5)); }
    known_buffer* any_buffer() { return buffers_.empty() ? nullptr : &buffers_[random_.below(buffers_.size())]; }
    known_program* any_program() { return programs_.empty() ? nullptr : &programs_[random_.below(programs_.size())]; }

    const char* nothing_changed() const { return subject_.unchanged() ? nullptr : "a failed call changed the manager"; }

    // -- calls --

    const char* allocate() {
        const request request{.bytes = any_size(),
                              .alignment = any_alignment(),
                              .preferred = random_.once_in(4) ? side::high : side::any,
                              .label = any_tag()};
        const std::uint64_t granted = rounded(request.bytes);
        const std::uint64_t alignment = request.alignment <= spec_.quantum ? spec_.quantum : request.alignment;
        const bool good_alignment = request.alignment == 0 || std::has_single_bit(request.alignment);
        const bool countable = granted != 0 && alignment / spec_.quantum <= subject_.max_quanta;
        const bool certain = good_alignment && countable && is_certain(granted, alignment);
        const bool fits = certain && holds(before_, granted, alignment);
        may_evict_now_ = true;
        const result<buffer> result = subject_.allocate(request);
        if (!result) {
            if (const char* broken = nothing_changed()) return broken;
            if (!countable && result.error().reason == error::size_too_large) return nullptr;
            if (!good_alignment)
                return result.error().reason == error::bad_alignment ? nullptr : "a bad alignment has another error";
            if (!countable) return "a size that cannot be counted has another error";
            if (result.error().reason != error::buffer_does_not_fit)
                return "a buffer that does not fit has another error";
            if (result.error().requested != granted || result.error().free != sums_.blocks.free ||
                result.error().label != request.label || result.error().largest_free != sums_.blocks.largest_free)
                return "the figures of a failure are wrong";
            if (!certain) return nullptr;
            return fits ? "a request failed although a free run satisfies it" : failed_in_vain(granted, alignment);
        }
        if (!good_alignment || !countable) return "a request that makes no sense succeeded";
        const totals done = subject_.sums().done;
        if (fits && (done.moves != sums_.done.moves || done.evictions != sums_.done.evictions ||
                     done.relieved != sums_.done.relieved))
            return "a request that fits was relieved";
        if (certain && !fits && done.relieved != sums_.done.relieved + 1) return "relief was not counted";
        return welcome(*result, granted, alignment, request.label, 0);
    }

    /// Returns true if a free run of the snapshot has room for a buffer of `granted` quanta by the rules of the
    /// placement.
    bool holds(const snapshot& blocks, std::uint64_t granted, std::uint64_t alignment) const {
        const need<std::uint64_t> required = subject_.requirement(granted, alignment);
        return some_run_holds(blocks, required.length, required.alignment);
    }
    /// Returns false if the requirement is the largest number, which may stand for one beyond the width.
    bool is_certain(std::uint64_t granted, std::uint64_t alignment) const {
        return subject_.requirement(granted, alignment).length / spec_.quantum != subject_.max_quanta;
    }

    /// Returns the rule broken if a failed request had to succeed, given all that certainly helps.
    const char* failed_in_vain(std::uint64_t granted, std::uint64_t alignment) const {
        snapshot best;
        subject_.look_at_best(best);
        if (holds(best, granted, alignment)) return "a request failed although waiting and evicting would have helped";
        if (!subject_.may_move || !subject_.merges_neighbours || alignment != spec_.quantum) return nullptr;
        std::uint64_t free = 0;
        for (const block_view& block : best) {
            if (block.pins != 0) return nullptr;
            if (block.kind == block_kind::hole) free += block.where.size;
        }
        for (const known_buffer& known : buffers_)
            if (known.alignment != spec_.quantum) return nullptr;
        return free >= granted ? "a request failed although compaction would have helped" : nullptr;
    }

    const char* welcome(buffer fresh, std::uint64_t granted, std::uint64_t alignment, tag label, std::uint32_t pins) {
        if (subject_.check(fresh) != error::none) return "a new buffer's handle is not good";
        if (subject_.granted(fresh) != granted) return "a buffer was granted another size than requested";
        const extent where = subject_.where(fresh);
        if (where.offset % alignment != 0) return "a buffer is not aligned as requested";
        const auto pattern = static_cast<std::byte>(random_.next() >> 56);
        for (std::byte& byte : subject_.bytes({where.offset, granted})) byte = pattern;
        buffers_.push_back({fresh, where, granted, alignment, label, pins, pattern});
        return nullptr;
    }

    const char* import() {
        if (!subject_.imports) return nullptr;
        const std::uint64_t mask = random_.once_in(8) ? 0 : spec_.quantum - 1;
        const extent where{random_.once_in(16) ? ~mask : random_.up_to(capacity()) & ~mask, any_size() & ~mask};
        const bool whole = ((where.offset | where.size) & (spec_.quantum - 1)) == 0 && where.size != 0;
        const bool fits =
            whole && where.offset <= capacity() && where.size <= capacity() - where.offset && is_free(before_, where);
        const tag label = any_tag();
        const result<buffer> result = subject_.import(where, label);
        if (result.has_value() != fits)
            return fits ? "a free range could not be imported" : "a range that is not free was imported";
        if (!result) {
            if (const char* broken = nothing_changed()) return broken;
            return result.error().reason == (whole ? error::range_is_taken : error::bad_alignment)
                       ? nullptr
                       : "a failed import has another error";
        }
        if (subject_.where(*result) != where) return "another range was imported than the one requested";
        return welcome(*result, where.size, spec_.quantum, label, 1);
    }

    void forget(known_buffer& known) {
        if (known.pins != 0) deferred_.push_back(known.where);
        dead_buffers_.push_back(known.handle);
        if (dead_buffers_.size() > 48) dead_buffers_.erase(dead_buffers_.begin());
        known = buffers_.back();
        buffers_.pop_back();
    }

    const char* free() {
        known_buffer* known = any_buffer();
        if (known == nullptr) return nullptr;
        if (!subject_.free(known->handle)) return "a live buffer could not be freed";
        const buffer gone = known->handle;
        forget(*known);
        const result<done> again = subject_.free(gone);
        if (again || again.error().reason != error::stale_handle) return "a buffer was freed twice";
        return nullptr;
    }

    const char* pin() {
        known_buffer* known = any_buffer();
        if (known == nullptr) return nullptr;
        if (!subject_.pin(known->handle)) return "a live buffer could not be pinned";
        ++known->pins;
        return nullptr;
    }
    const char* unpin() {
        known_buffer* known = any_buffer();
        if (known == nullptr) return nullptr;
        const result<done> unpinned = subject_.unpin(known->handle);
        if (unpinned.has_value() != (known->pins != 0)) return "pins are not counted";
        if (unpinned)
            --known->pins;
        else if (unpinned.error().reason != error::not_pinned)
            return "unpin without pin has another error";
        return unpinned ? nullptr : nothing_changed();
    }
    const char* sync() {
        subject_.sync();
        deferred_.clear();
        deferred_before_ = 0;
        return nullptr;
    }

    const char* compact() {
        if (!subject_.may_move) return sync();
        const std::uint64_t budget = random_.once_in(8) ? any_size() : random_.below(64) * spec_.quantum;
        const compaction preview = subject_.compact(0);
        if (!subject_.unchanged()) return "asking what there is to compact changed the manager";
        const compaction first = subject_.compact(budget);
        if (first.moved > budget) return "compaction moved more than it was allowed to";
        if (first.reason == error::none && first.moved == 0 && !first.done() && first.needs <= budget)
            return "compaction neither moved anything nor said what it takes";
        if (preview.done() && first.moved != 0) return "compaction moved although there was nothing to do";
        if (!subject_.finish_moves()) return "a move could not be finished";
        if (random_.once_in(2)) return nullptr;
        // In a memory of nearly 2^64 bytes, blocks that move more than once are more bytes than any budget.
        compaction rest = subject_.compact(~std::uint64_t{0});
        for (int call = 0; call < 8 && rest.moved != 0 && rest.remaining != 0; ++call)
            rest = subject_.compact(~std::uint64_t{0});
        return subject_.compact(0) == compaction{} ? nullptr : "compaction did not come to an end";
    }

    const char* load() {
        const program_spec spec{.name = "p",
                                .code = any_size(),
                                .scratch = random_.once_in(4) ? 0 : any_size() / 2,
                                .reload_us = random_.below(3000)};
        may_evict_now_ = true;
        const result<program> result = subject_.load(spec);
        if (!result) {
            const error why = result.error().reason;
            if (const char* broken = nothing_changed()) return broken;
            if ((rounded(spec.code) == 0 || rounded(spec.scratch) == 0) != (why == error::size_too_large))
                return "a program's size that cannot be counted has another error";
            return why == error::size_too_large || why == error::code_does_not_fit || why == error::scratch_does_not_fit
                       ? nullptr
                       : "a program that does not fit has another error";
        }
        if (rounded(spec.code) == 0 || rounded(spec.scratch) == 0)
            return "a program of a size that cannot be counted was loaded";
        programs_.push_back({*result, rounded(spec.code), spec.scratch == 0 ? 0 : rounded(spec.scratch), true, true});
        return nullptr;
    }
    const char* load_again() {
        known_program* known = any_program();
        if (known == nullptr) return nullptr;
        may_evict_now_ = true;
        known->must_stay = known->resident;
        const result<done> loaded = subject_.load(known->handle);
        if (loaded) known->resident = known->must_stay = true;
        return loaded ? nullptr : nothing_changed();
    }
    const char* evict() {
        known_program* known = any_program();
        if (known == nullptr) return nullptr;
        if (!subject_.evict(known->handle)) return "a program could not be evicted by hand";
        if (known->resident) ++sums_.done.evictions;
        known->resident = false;
        return nullptr;
    }
    const char* unload() {
        known_program* known = any_program();
        if (known == nullptr) return nullptr;
        if (!subject_.unload(known->handle)) return "a program could not be unloaded";
        dead_programs_.push_back(known->handle);
        if (dead_programs_.size() > 16) dead_programs_.erase(dead_programs_.begin());
        *known = programs_.back();
        programs_.pop_back();
        return nullptr;
    }

    const char* run() {
        known_program* known = any_program();
        if (known == nullptr) return nullptr;
        std::vector<buffer> inputs;
        std::vector<buffer> donated;
        std::vector<output> outputs;
        for (const known_buffer& live : buffers_) {
            const std::uint64_t chance = random_.below(8);
            if (chance == 0) inputs.push_back(live.handle);
            if (chance == 1 || chance == 2) donated.push_back(live.handle);
        }
        for (std::uint64_t i = random_.below(5); i > 0; --i) {
            const known_buffer* like = random_.once_in(2) ? any_buffer() : nullptr;
            outputs.push_back({like != nullptr ? like->granted : any_size() / 4, any_tag()});
        }
        error expected = error::none;
        std::vector<std::uint32_t> kept;
        for (std::uint32_t at = 0; at < donated.size(); ++at) {
            const bool pinned = find(donated[at])->pins != 0;
            if (random_.once_in(8) ? !pinned : pinned) {
                kept.push_back(at);
            } else if (pinned) {
                expected = error::donor_is_referenced;
            }
        }
        for (const output& requested : outputs)
            if (rounded(requested.bytes) == 0 && expected == error::none) expected = error::size_too_large;
        if (const error spoilt = random_.once_in(12) ? spoil(inputs, donated, kept) : error::none;
            spoilt != error::none)
            expected = spoilt;
        may_evict_now_ = expected == error::none;
        known->must_stay = true;
        const result<run_result> ran =
            subject_.run(known->handle, {.inputs = inputs, .donated = donated, .outputs = outputs, .kept = kept});
        if (!ran) {
            if (const char* broken = nothing_changed()) return broken;
            const error why = ran.error().reason;
            if (expected != error::none)
                return why == expected ? nullptr : "a run with a bad argument has another error";
            const bool missing = why == error::buffer_does_not_fit || why == error::code_does_not_fit ||
                                 why == error::scratch_does_not_fit;
            known->must_stay = false;
            return missing ? nullptr : "a run that does not fit has another error";
        }
        if (expected != error::none) return "a run with a bad argument succeeded";
        if (ran->reloaded == known->resident) return "a run says wrongly whether the program came back";
        known->resident = true;
        for (std::size_t at = kept.size(); at-- > 0;)
            donated.erase(donated.begin() + static_cast<std::ptrdiff_t>(kept[at]));
        return account(inputs, donated, outputs, *ran);
    }

    /// Spoils the arguments of a run. Returns the error that must result.
    error spoil(std::vector<buffer>& inputs, std::vector<buffer>& donated, std::vector<std::uint32_t>& kept) {
        if (random_.once_in(3) && !dead_buffers_.empty()) {
            donated.push_back(dead_buffers_.back());
            return error::stale_handle;
        }
        if (random_.once_in(3)) {
            donated.push_back(buffer{0, 1, salt_ + 1});
            return error::foreign_handle;
        }
        if (random_.once_in(3)) {
            kept.push_back(static_cast<std::uint32_t>(donated.size() + random_.below(2)));
            return error::bad_argument;
        }
        if (!kept.empty() && random_.once_in(2)) {
            kept.push_back(kept.front());
            return error::kept_twice;
        }
        if (donated.empty()) return error::none;
        if (random_.once_in(2)) {
            donated.push_back(donated.front());
            return error::donated_twice;
        }
        inputs.insert(inputs.begin(), donated.back());
        return error::donated_and_used;
    }

    const char* account(const std::vector<buffer>& inputs, const std::vector<buffer>& donated,
                        const std::vector<output>& outputs, const run_result& ran) {
        if (ran.outputs.size() != outputs.size()) return "a run has not as many outputs as requested";
        for (const buffer input : inputs)
            if (subject_.where(input) != find(input)->where) return "an input moved during its run";
        std::uint32_t taken = 0;
        std::vector<known_buffer> givers;
        for (const buffer donor : donated) {
            givers.push_back(*find(donor));
            forget(*find(donor));
        }
        for (std::size_t at = 0; at < outputs.size(); ++at) {
            const buffer fresh = ran.outputs[at];
            const known_buffer* giver = nullptr;
            for (const known_buffer& candidate : givers)
                if (candidate.pins == 0 && candidate.where.offset == subject_.where(fresh).offset) giver = &candidate;
            if (giver != nullptr) ++taken;
            if (giver != nullptr && giver->granted < rounded(outputs[at].bytes))
                return "an output is larger than the input it took over";
            const bool inherits = giver != nullptr && outputs[at].label == tag::none;
            const tag label = inherits ? giver->label : outputs[at].label;
            if (const char* broken = welcome(fresh, rounded(outputs[at].bytes), spec_.quantum, label, 0)) return broken;
            if (giver != nullptr) buffers_.back().alignment = giver->alignment;
        }
        if (taken != ran.donated) return "donations are not counted";
        if (taken != 0 && !subject_.donates) return "an input was taken over although the policy never does";
        return nullptr;
    }

    const char* use_a_bad_handle() {
        const buffer nothing;
        if (subject_.check(nothing) == error::none || subject_.free(nothing)) return "a default-made handle is good";
        const buffer strange{static_cast<std::uint32_t>(random_.below(64)),
                             static_cast<std::uint32_t>(random_.below(4)), salt_ + 1};
        const result<done> freed = subject_.free(strange);
        if (freed || freed.error().reason != error::foreign_handle) return "a foreign handle is good";
        const buffer far{no_index - 1 - static_cast<std::uint32_t>(random_.below(3)), 1, salt_};
        if (subject_.pin(far) || subject_.unpin(far) || subject_.free(far)) return "a handle out of range is good";
        const program no_program{static_cast<std::uint32_t>(random_.next()) | 0x10000u, 1, salt_};
        if (subject_.load(no_program) || subject_.evict(no_program) || subject_.unload(no_program) ||
            subject_.run(no_program, {}))
            return "a program's handle out of range is good";
        for (const block_view& block : before_) {  // no handle shown frees a block that is freed already
            bool mine = block.handle.index == no_index;
            for (const known_buffer& known : buffers_) mine = mine || known.handle == block.handle;
            if (!mine && subject_.check(block.handle) == error::none)
                return "a block that is nobody's has a good handle";
        }
        return nothing_changed();
    }

    std::uint32_t salt_;
    random_numbers random_;
};

/// Runs a random story of `steps` steps on a manager, with hostile sizes and bad handles. Like `conformance`, and:
/// handles are valid as long as they should be; pinned blocks stay; buffers are never evicted.
/// Sizes and tags are kept, reservations equal the need of loaded programs, and relief acts only if necessary.
/// If the device copies, buffers keep their bytes. The donation policy chooses only existing donors of sufficient size.
/// Cost: O(steps x blocks x buffers).
template <class Manager>
[[nodiscard]] outcome conformance_manager(std::uint64_t seed, std::uint32_t steps) {
    random_numbers random(seed);
    memory_spec spec;
    spec.quantum = random.once_in(2) ? default_quantum : std::uint64_t{1} << random.below(10);
    const bool small = requires {
        requires copies<std::remove_cvref_t<decltype(std::declval<Manager&>().device())>>;
    };
    const std::uint64_t quanta =
        small ? 1 + random.below(80) : any_capacity(random, std::numeric_limits<typename Manager::quanta>::max());
    const std::uint64_t most = ~std::uint64_t{0} / spec.quantum;
    spec.capacity = (quanta < most ? quanta : most) * spec.quantum;
    if (random.once_in(8)) spec.top_reserved = random.up_to(spec.capacity);
    const auto salt = static_cast<std::uint32_t>(random.once_in(2) ? 0 : random.next());
    manager_under_test<Manager> subject(spec, salt);
    manager_story story(subject, spec, salt, seed);
    outcome result{.broken = story.look(), .subject = Manager::full_name.c_str(), .seed = seed};
    while (result.ok() && result.step < steps) {
        ++result.step;
        result.broken = story.step();
        if (result.ok()) result.broken = subject.check_donation(seed + result.step);
    }
    return result;
}

}  // namespace hbm::inline v0::testing
