#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/generate/generate.hpp"

namespace hbm::trace {

namespace {

constexpr std::array sharded_training_parameters{
    parameter{"layers", 32, 1, 256, "transformer layers"},
    parameter{"devices", 16, 1, 65536, "devices that share the state"},
    parameter{"prefetch", 1, 0, 64, "layers whose parameters are gathered ahead of their use"},
    parameter{"batch", 12, 1, 4096, "sequences a step on this device"},
    parameter{"hidden", 4096, 8, 65536, "width of the model"},
    parameter{"vocabulary", 32000, 1, 1'000'000, "tokens the model knows"},
    parameter{"sequence", 2048, 1, 1'000'000, "tokens of a sequence"},
    parameter{"steps", 20, 0, 10'000, "optimizer steps"},
};

/// Writer of the rows of `sharded_training`.
class sharded_training_writer {
public:
    /// Writes into this draft.
    sharded_training_writer(const settings& given, trace_draft& draft)
        : draft_(draft), layers_(given["layers"]), devices_(given["devices"]), prefetch_(given["prefetch"]),
          hidden_(given["hidden"]), vocabulary_(given["vocabulary"]), tokens_(given["batch"] * given["sequence"]),
          steps_(given["steps"]) {}

    /// Writes the whole trace.
    void write() {
        load_programs();
        make_state();
        draft_buffer batch = draft_.alloc("batch", 4 * tokens_);
        for (std::uint64_t step = 0; step < steps_; ++step) {
            // The host sends the next batch while the present batch is in use.
            draft_buffer next = draft_.alloc("batch", 4 * tokens_);
            forward(batch);
            backward(batch);
            for (layer& each : model_) update(each);
            draft_.free(batch);
            batch = std::move(next);
            draft_.sync();
        }
        draft_.free(batch);
        draft_.free(losses_);
    }

private:
    // A layer on this device. Its parts are padded, so that every device has a shard of the same size.
    struct layer {
        std::vector<std::uint64_t> shards;  // number of weights of each part on this device
        draft_buffers state;                // weights and both moments of Adam, in single precision
        draft_buffers whole;                // gathered weights in half precision, for the time of their use
        draft_buffers gradients;            // gradients of this device's shard, until the update
    };

    std::uint64_t activation_bytes() const { return 2 * tokens_ * hidden_; }  // bfloat16
    std::uint64_t quick() { return 200 + draft_.random.below(50); }

    void load_programs() {
        const std::uint64_t unit = activation_bytes();
        // A collective sends in chunks, so its scratch does not grow with its data.
        draft_.load("all_gather", 8 * mib, 32 * mib);
        draft_.load("reduce_scatter", 8 * mib, 64 * mib);
        draft_.load("embed", 12 * mib, unit);
        draft_.load("forward", 48 * mib, 6 * unit);
        draft_.load("head", 24 * mib, 2 * unit + tokens_ * vocabulary_ / 2);
        draft_.load("backward", 112 * mib, 12 * unit);
        draft_.load("update", 32 * mib, 16 * mib);
    }

    void make_state() {
        const std::uint64_t square = hidden_ * hidden_;
        for (std::uint64_t count = 0; count < layers_; ++count)
            make_layer({3 * square, square, 4 * square, 4 * square});
        make_layer({vocabulary_ * hidden_});  // the embedding comes after the layers
    }
    void make_layer(const std::vector<std::uint64_t>& parts) {
        layer made;
        for (const std::uint64_t weights : parts) {
            const std::uint64_t shard = (weights + devices_ - 1) / devices_;
            draft_.wait(quick());
            made.shards.push_back(shard);
            for (const std::string_view kind : {"weights", "first_moment", "second_moment"})
                made.state.push_back(draft_.alloc(kind, 4 * shard));
        }
        model_.push_back(std::move(made));
    }

    layer& embedding() { return model_.back(); }

    // The weights of all devices in one place, unless they are there already.
    void gather(layer& of) {
        if (!of.whole.empty()) return;
        draft_buffers own;
        for (std::size_t part = 0; part < of.shards.size(); ++part) {
            own.push_back(of.state[3 * part]);
            of.whole.push_back(draft_.fresh("gathered", 2 * of.shards[part] * devices_));
        }
        draft_.wait(quick());
        draft_.run("all_gather", own, {}, of.whole, "gathered");
    }

    void forward(const draft_buffer& batch) {
        const std::size_t depth = model_.size() - 1;
        gather(embedding());
        gather(model_.front());
        draft_buffers inputs = embedding().whole;
        inputs.push_back(batch);
        entering_.push_back(draft_.fresh("activation", activation_bytes()));
        draft_.run("embed", inputs, {}, {entering_.back()}, "activation");
        draft_.free(embedding().whole);
        for (std::size_t at = 0; at < depth; ++at) {
            const std::uint64_t last = std::min<std::uint64_t>(at + prefetch_, depth - 1);
            for (std::size_t ahead = at; ahead <= last; ++ahead) gather(model_[ahead]);
            inputs = model_[at].whole;
            inputs.push_back(entering_.back());
            const draft_buffer leaving = draft_.fresh("activation", activation_bytes());
            draft_.wait(2 * quick());
            draft_.run("forward", inputs, {}, {leaving}, "activation");
            entering_.push_back(leaving);
            // The backward pass begins with the last layer: its weights stay.
            if (at + 1 != depth) draft_.free(model_[at].whole);
        }
    }

    // Only the input of each layer was kept: the program computes the rest again. The gradients of a layer are
    // scattered while the layer below it is computed, so those of two layers are there.
    void backward(const draft_buffer& batch) {
        const std::size_t depth = model_.size() - 1;
        draft_buffer slope = head(batch);
        for (std::size_t at = depth; at-- > 0;) {
            draft_.free(entering_.back());
            entering_.pop_back();
            for (std::size_t behind = 0; behind <= std::min<std::uint64_t>(prefetch_, at); ++behind)
                gather(model_[at - behind]);
            draft_buffers inputs = model_[at].whole;
            inputs.push_back(entering_.back());
            const draft_buffer earlier = draft_.fresh("slope", activation_bytes());
            collect("backward", model_[at], inputs, slope, {earlier});
            draft_.free(model_[at].whole);
            slope = earlier;
        }
        collect("embed", embedding(), {batch}, slope, {});
        scatter();
        draft_.free(entering_);
    }

    // Loss, and its gradient by the last activation. The logits are in scratch only.
    draft_buffer head(const draft_buffer& batch) {
        gather(embedding());
        draft_buffers inputs = embedding().whole;
        inputs.push_back(batch);
        inputs.push_back(entering_.back());
        const draft_buffer loss = draft_.fresh("loss", 4);
        const draft_buffer slope = draft_.fresh("slope", activation_bytes());
        draft_.wait(quick());
        draft_.run("head", inputs, {}, {slope, loss}, "slope");
        draft_.free(embedding().whole);
        losses_.push_back(loss);
        // The host fetches losses in groups.
        if (losses_.size() >= 20) draft_.free(losses_);
        return slope;
    }

    // Runs a program that computes the gradients of a whole layer; then those of the layer above it are scattered.
    void collect(std::string_view program, layer& of, const draft_buffers& inputs, const draft_buffer& slope,
                 draft_buffers outputs) {
        draft_buffers whole;
        for (const std::uint64_t shard : of.shards)
            whole.push_back(draft_.fresh("whole_gradient", 2 * shard * devices_));
        join(outputs, whole);
        draft_.wait(4 * quick());
        draft_.run(program, inputs, {slope}, outputs, "whole_gradient");
        scatter();
        scattered_next_ = &of;
        whole_gradients_ = std::move(whole);
    }
    void scatter() {
        if (scattered_next_ == nullptr) return;
        draft_buffers& own = scattered_next_->gradients;
        for (const std::uint64_t shard : scattered_next_->shards) own.push_back(draft_.fresh("gradient", 4 * shard));
        draft_.wait(quick());
        draft_.run("reduce_scatter", {}, whole_gradients_, own, "gradient");
        scattered_next_ = nullptr;
    }

    void update(layer& of) {
        draft_buffers after;
        for (const draft_buffer& each : of.state) after.push_back(draft_.fresh("state", each.bytes));
        draft_.wait(quick() / 4);
        draft_.run("update", of.gradients, of.state, after, "state");
        of.state = std::move(after);
        draft_.free(of.gradients);
    }

    trace_draft& draft_;
    std::uint64_t layers_;
    std::uint64_t devices_;
    std::uint64_t prefetch_;
    std::uint64_t hidden_;
    std::uint64_t vocabulary_;
    std::uint64_t tokens_;
    std::uint64_t steps_;
    std::vector<layer> model_;
    draft_buffers entering_;  // the input of each layer, and the output of the last
    layer* scattered_next_ = nullptr;
    draft_buffers whole_gradients_;  // gradients of that layer
    draft_buffers losses_;
};

void write_sharded_training(const settings& given, trace_draft& draft) {
    sharded_training_writer(given, draft).write();
}

}  // namespace

/// Training with state sharded over many devices (FSDP), from the view of one device. The parameters of a layer are
/// gathered a layer ahead of their use and dropped after it. Its gradients are summed up and scattered. Each device
/// keeps and updates its shard of the weights and of the optimizer state. Writes the training run: about 14 rows
/// per layer and step; the default sizes fill most of a v5e.
const generator sharded_training{"sharded_training",
                                 "FSDP: layers gathered ahead of their use, gradients scattered, state sharded", "v5e",
                                 sharded_training_parameters, write_sharded_training};

}  // namespace hbm::trace
