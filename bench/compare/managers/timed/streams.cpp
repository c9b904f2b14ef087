#include "compare/managers/timed/streams.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/manager.hpp>
#include <hbm/manager/passes.hpp>
#include <hbm/manager/streams.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/streams.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_manager.hpp"
#include "compare/replay/workload_builder.hpp"

namespace hbm::compare {

namespace {

constexpr std::uint32_t stream_count = trace::last_stream + 1;

/// Clock of a replay, and the call that it is in.
struct timed_calls {
    trace::replay_clock clock;
    memory_spec spec;
    std::uint32_t stream = 0;    // stream of the run
    std::uint64_t run_us = 0;    // duration of the run
    std::uint64_t reloaded = 0;  // nanoseconds of reloads that are on the clock
    bool has_copied = false;     // true while a pass ends: its copies are on the clock
};

/// Observer that keeps the clock.
struct clock_events {
    static constexpr fixed_string name{"clock_events"};
    timed_calls* calls = nullptr;

    void on(const event& occurred, const auto& memory) {
        trace::replay_clock& clock = calls->clock;
        if (occurred.what == event_kind::reached) {
            clock.wait_for(occurred.from);
        } else if (occurred.what == event_kind::moved && !calls->has_copied) {
            const std::uint64_t to = occurred.where.offset;
            const std::uint64_t distance = to < occurred.from ? occurred.from - to : to - occurred.from;
            clock.move(calls->spec.move_nanoseconds(occurred.where.size, distance));
        } else if (occurred.what == event_kind::ran) {
            const std::uint64_t reloaded = memory.done_so_far().reload_nanoseconds;
            clock.reload(calls->stream, reloaded - std::exchange(calls->reloaded, reloaded));
            clock.run(calls->stream, saturating_multiply(calls->run_us, 1000), occurred.from);
            if (calls->spec.runs_in_flight == 0) clock.wait_for(occurred.from);
        }
    }

    [[maybe_unused]] friend bool operator==(const clock_events&, const clock_events&) = default;
};

using timed_manager = manager<streams<bottom_reserve<compacting<best_fit_lifo>>, stream_count>, evict_cheapest_window,
                              donate_same_size, relieve_cheapest, no_device, clock_events>;

/// Memory whose calls are on a clock, with passes.
class timed_memory : public trace::replayed<timed_manager> {
public:
    timed_memory(const memory_spec& spec, timed_calls& calls, std::uint64_t pass_bytes)
        : replayed(spec, {.events = {&calls}}), calls_(calls), pass_bytes_(pass_bytes) {}

    /// Returns the bytes that passes copied, and how many of them arrived.
    [[nodiscard]] std::uint64_t passed() const noexcept { return passed_; }
    [[nodiscard]] std::uint64_t arrived() const noexcept { return arrived_; }

    result<buffer> allocate(const request& wanted) override {
        return after_pass(wanted.bytes, [&] { return replayed::allocate(wanted); });
    }
    result<program> load(const program_spec& spec) override {
        return after_pass(~std::uint64_t{0}, [&] { return replayed::load(spec); });
    }
    result<done> load(program known) override {
        return after_pass(~std::uint64_t{0}, [&] { return replayed::load(known); });
    }
    result<run_result> run(program subject, const run_spec& spec) override { return run_on(0, subject, spec); }
    result<run_result> run_on(std::uint32_t on, program subject, const run_spec& spec) override {
        calls_.stream = on;
        calls_.run_us = spec.run_us;
        std::uint64_t fresh = about(subject).resident ? 0 : ~std::uint64_t{0};
        for (const output& fresh_output : spec.outputs) fresh = saturating_add(fresh, fresh_output.bytes);
        for (const buffer donor : spec.donated) fresh -= std::min(fresh, where(donor).size);
        result<run_result> ran = after_pass(fresh, [&] { return manager().run(subject, spec, stream{on}); });
        if (pass_.empty()) begin_pass();
        return ran;
    }
    result<fence> issue(std::uint32_t on, list<buffer> uses, std::uint64_t us) override {
        const result<fence> issued = manager().issue({.on = {on}, .uses = uses, .us = us});
        if (issued) calls_.clock.work(on, saturating_multiply(us, 1000), issued->number);
        return issued;
    }
    result<done> wait(std::uint32_t waiting, fence until) override {
        calls_.clock.hold(waiting, until.number);
        return manager().wait(stream{waiting}, until);
    }

private:
    void begin_pass() {
        if (pass_bytes_ == 0) return;
        pass_ = manager().begin_pass(pass_bytes_);
        std::uint64_t nanoseconds = 0;
        for (const begun_move& move : pass_)
            nanoseconds = saturating_add(nanoseconds, calls_.spec.move_nanoseconds(move.bytes));
        copied_ = calls_.clock.begin_moves(nanoseconds);
    }
    void end_pass() {
        calls_.clock.wait(copied_);
        for (const begun_move& move : pass_) passed_ += move.bytes;
        calls_.has_copied = true;
        if (const result<pass_result> ended = manager().end_pass(pass_)) arrived_ += ended->moved;
        calls_.has_copied = false;
        pass_ = {};
    }
    /// Makes a call that needs this many bytes. An open pass ends before it if its copies are over, if no hole is as
    /// long, or if the call fails.
    template <class Call>
    std::invoke_result_t<Call> after_pass(std::uint64_t bytes, Call call) {
        if (!pass_.empty() && (calls_.clock.is_over(copied_) || bytes > manager().largest_free_bytes())) end_pass();
        std::invoke_result_t<Call> outcome = call();
        if (outcome || pass_.empty()) return outcome;
        end_pass();
        return call();
    }

    timed_calls& calls_;
    std::uint64_t pass_bytes_;
    pass pass_;
    trace::replay_clock::moment copied_;  // end of the copies of the open pass
    std::uint64_t passed_ = 0;
    std::uint64_t arrived_ = 0;
};

}  // namespace

bool set_durations(trace::workload& load) {
    bool takes_time = false;
    std::uint64_t next = load.times.empty() ? 0 : load.times.back();
    for (std::size_t at = load.rows.size(); at-- > 0;) {
        const trace::row& entry = load.rows[at];
        if (entry.what != trace::op::run && entry.what != trace::op::work) continue;
        const std::uint64_t begin = load.times.empty() ? 0 : load.times[at];
        std::uint64_t& us = load.details[entry.detail].us;
        if (us == trace::unspecified) us = next - begin;
        takes_time = takes_time || (entry.what == trace::op::run && us != 0);
        next = begin;
    }
    return takes_time;
}

stream_figures measure_streams(const trace::workload& load, const memory_spec& spec, move_choice moves) {
    timed_calls calls{.clock = trace::replay_clock(moves.how, stream_count), .spec = spec};
    timed_memory memory(spec, calls, moves.pass_bytes);
    trace::replay run(load, memory);
    while (run.step()) {
    }
    stream_figures figures{.rows = run.at(),
                           .error = {},
                           .sums = memory.done_so_far(),
                           .moved_by_calls = memory.done_so_far().moved_bytes - memory.arrived(),
                           .passed = memory.passed()};
    if (run.at() != load.rows.size()) figures.error = run.words();
    figures.end = calls.clock.end();
    figures.stalled = calls.clock.stalled();
    return figures;
}

}  // namespace hbm::compare
