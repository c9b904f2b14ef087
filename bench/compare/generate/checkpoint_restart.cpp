#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/generate/generate.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

constexpr std::array checkpoint_restart_parameters{
    parameter{"layers", 16, 1, 256, "transformer layers"},
    parameter{"devices", 4, 1, 65536, "devices that share the state"},
    parameter{"batch", 5, 1, 4096, "sequences a step on this device"},
    parameter{"hidden", 4096, 8, 65536, "width of the model"},
    parameter{"vocabulary", 32000, 1, 1'000'000, "tokens the model knows"},
    parameter{"sequence", 2048, 1, 1'000'000, "tokens of a sequence"},
    parameter{"steps", 120, 0, 100'000, "optimizer steps, those done again after a restart included"},
    parameter{"save_every", 15, 0, 100'000, "steps between saves; 0: none"},
    parameter{"restart_every", 40, 0, 100'000, "steps between failures, on average; 0: none"},
    parameter{"gather", 1, 0, 1, "1: whole arrays are gathered for a save; 0: this device saves its shards"},
    parameter{"copies", 2, 1, 64, "arrays that are on their way to or from the host at a time"},
};

/// Writer of the rows of `checkpoint_restart`.
class checkpoint_restart_writer {
public:
    /// Writes into this draft.
    checkpoint_restart_writer(const settings& given, trace_draft& draft)
        : draft_(draft), layers_(given["layers"]), devices_(given["devices"]), hidden_(given["hidden"]),
          vocabulary_(given["vocabulary"]), tokens_(given["batch"] * given["sequence"]), steps_(given["steps"]),
          save_every_(given["save_every"]), restart_every_(given["restart_every"]), copies_(given["copies"]),
          gathers_(given["gather"] != 0) {}

    /// Writes the whole trace.
    void write() {
        list_arrays();
        start();
        plan_failure(0);
        for (std::uint64_t step = 1; step <= steps_; ++step) {
            run_step();
            const bool saves = save_every_ != 0 && step % save_every_ == 0;
            if (saves) save(fails_ && in_a_save_ && step >= failure_);
            if (!fails_ || step < failure_ || (in_a_save_ && !saves && save_every_ != 0)) continue;
            stop();
            start();
            plan_failure(step);
        }
        stop();
    }

private:
    // An array of the state: weights or a moment of Adam, in single precision.
    struct array {
        std::string_view kind;
        std::uint64_t weights = 0;  // number on all devices
    };

    static constexpr std::uint64_t host_bytes_a_us = 16'000;  // a host link of 16 GB/s

    std::uint64_t shard_bytes(const array& of) const { return 4 * ((of.weights + devices_ - 1) / devices_); }
    std::uint64_t copied_bytes(const array& of) const {
        return gathers_ ? shard_bytes(of) * devices_ : shard_bytes(of);
    }

    void list_arrays() {
        const std::uint64_t square = hidden_ * hidden_;
        const auto add = [&](std::uint64_t weights) {
            for (const std::string_view kind : {"weights", "first_moment", "second_moment"})
                arrays_.push_back({kind, weights});
        };
        for (std::uint64_t layer = 0; layer < layers_; ++layer)
            for (const std::uint64_t squares : {3ULL, 1ULL, 4ULL, 4ULL}) add(squares * square);
        add(vocabulary_ * hidden_);
    }

    // Returns the memory of a jitted step in addition to its arguments: two gathered layers, the shard of the
    // gradients, each layer's input, the recomputed layer, and a part of the logits.
    std::uint64_t step_scratch() const {
        const std::uint64_t unit = 2 * tokens_ * hidden_;
        const std::uint64_t layer = 12 * hidden_ * hidden_;
        const std::uint64_t weights = layers_ * layer + vocabulary_ * hidden_;
        return 2 * 2 * layer + 2 * (weights / devices_) + (layers_ + 12) * unit + tokens_ * vocabulary_ / 2;
    }

    // A program is loaded when a process needs it first, as a jitted function is.
    const std::string& need(std::string name, std::uint64_t code, std::uint64_t scratch) {
        const auto found = std::find(loaded_.begin(), loaded_.end(), name);
        if (found != loaded_.end()) return *found;
        draft_.load(name, code, scratch);
        loaded_.push_back(std::move(name));
        return loaded_.back();
    }

    // A process begins: with fresh state, or with that of the last save.
    void start() {
        state_.resize(arrays_.size());
        if (saved_)
            restore();
        else
            initialise();
        batch_ = draft_.alloc("batch", 4 * tokens_);
    }
    void initialise() {
        for (std::size_t at = 0; at < arrays_.size(); ++at)
            state_[at] = draft_.fresh(arrays_[at].kind, shard_bytes(arrays_[at]));
        draft_.run(need("initialise", 24 * mib, 64 * mib), {}, {}, state_, "state");
    }

    // Arrays come in the order of their kinds, as a checkpoint lists them. The host sends some ahead; of each, a
    // program keeps the shard of this device.
    void restore() {
        std::vector<std::size_t> order;
        for (const std::string_view kind : {"first_moment", "second_moment", "weights"})
            for (std::size_t at = 0; at < arrays_.size(); ++at)
                if (arrays_[at].kind == kind) order.push_back(at);
        std::size_t sent = 0;
        draft_buffers whole(order.size());
        for (std::size_t at = 0; at < order.size(); ++at) {
            for (; sent < order.size() && sent < at + copies_; ++sent) {
                const array& next = arrays_[order[sent]];
                draft_.wait(1 + copied_bytes(next) / host_bytes_a_us);
                whole[sent] = draft_.alloc(gathers_ ? "restored" : next.kind, copied_bytes(next));
            }
            draft_buffer& own = state_[order[at]];
            if (!gathers_) {
                own = whole[at];
                continue;
            }
            const array& of = arrays_[order[at]];
            own = draft_.fresh(of.kind, shard_bytes(of));
            draft_.run(need("slice_" + decimal(of.weights), 2 * mib, mib), {}, {whole[at]}, {own}, of.kind);
        }
    }

    // Ends the process, which frees all its memory, also buffers on their way to the host.
    void stop() {
        draft_.sync();
        for (const draft_buffer& each : copying_) draft_.unpin(each);
        draft_.free(copying_);
        draft_.free(state_);
        draft_.free(losses_);
        draft_.free(batch_);
        for (const std::string& program : loaded_) draft_.unload(program);
        loaded_.clear();
        draft_.sync();
        draft_.wait(30'000'000);
    }

    void plan_failure(std::uint64_t now) {
        fails_ = restart_every_ != 0;
        failure_ = now + 1 + restart_every_ / 2 + draft_.random.below(restart_every_ + 1);
        in_a_save_ = draft_.random.one_in(2);
    }

    void run_step() {
        const draft_buffer next = draft_.alloc("batch", 4 * tokens_);  // while the present batch is in use
        draft_buffers after;
        for (std::size_t at = 0; at < state_.size(); ++at)
            after.push_back(draft_.fresh(arrays_[at].kind, state_[at].bytes));
        draft_buffers outputs = after;
        const draft_buffer loss = draft_.fresh("loss", 4);
        outputs.push_back(loss);
        draft_.wait(400'000 + draft_.random.exponential(20'000));
        draft_.run(need("train_step", 160 * mib, step_scratch()), {batch_}, state_, outputs, "state");
        state_ = std::move(after);
        losses_.push_back(loss);
        // The host fetches losses in groups.
        if (losses_.size() >= 10) draft_.free(losses_);
        draft_.free(batch_);
        batch_ = next;
        draft_.sync();
    }

    // `fails`: the process ends in the middle of it, and the save does not count.
    void save(bool fails) {
        const std::size_t count =
            fails ? static_cast<std::size_t>(draft_.random.below(arrays_.size())) : arrays_.size();
        for (std::size_t at = 0; at < count; ++at) {
            const array& of = arrays_[at];
            const draft_buffer copy = draft_.fresh("copy", copied_bytes(of));
            const std::string& program = gathers_ ? need("gather_" + decimal(of.weights), 4 * mib, 32 * mib)
                                                  : need("copy_" + decimal(of.weights), mib, 0);
            draft_.wait(1 + copy.bytes / host_bytes_a_us);
            draft_.run(program, {state_[at]}, {}, {copy}, "copy");
            draft_.pin(copy);
            copying_.push_back(copy);
            if (copying_.size() == copies_) copied();
        }
        if (fails) return;
        while (!copying_.empty()) copied();
        saved_ = true;
    }
    // The host has the oldest of the copies.
    void copied() {
        draft_.unpin(copying_.front());
        draft_.free(copying_.front());
        copying_.erase(copying_.begin());
    }

    trace_draft& draft_;
    std::uint64_t layers_;
    std::uint64_t devices_;
    std::uint64_t hidden_;
    std::uint64_t vocabulary_;
    std::uint64_t tokens_;
    std::uint64_t steps_;
    std::uint64_t save_every_;
    std::uint64_t restart_every_;
    std::uint64_t copies_;
    bool gathers_;
    std::vector<array> arrays_;
    std::vector<std::string> loaded_;  // programs of this process
    draft_buffers state_;              // state of each array
    draft_buffers copying_;            // pinned while the host copies them
    draft_buffers losses_;
    draft_buffer batch_;
    bool saved_ = false;
    bool fails_ = false;         // true if a failure is planned
    std::uint64_t failure_ = 0;  // step of the failure
    bool in_a_save_ = false;     // true for a failure in the save after that step
};

void write_checkpoint_restart(const settings& given, trace_draft& draft) {
    checkpoint_restart_writer(given, draft).write();
}

}  // namespace

/// A training run that saves its state now and then and is restarted. A save gathers the sharded arrays, a few at a
/// time, and holds each until the host has copied it. A failure ends the process. The next process restores the
/// arrays of the last complete save, in another order than that of their creation. Writes the training run: four
/// rows per array and save. With the default sizes a step needs most of a v5e, and the arrays that a save gathers
/// take the rest.
const generator checkpoint_restart{"checkpoint_restart",
                                   "a jitted step that is saved array by array, fails, and is restored", "v5e",
                                   checkpoint_restart_parameters, write_checkpoint_restart};

}  // namespace hbm::trace
