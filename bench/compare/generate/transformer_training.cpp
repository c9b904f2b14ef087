#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/generate/generate.hpp"

namespace hbm::trace {

namespace {

constexpr std::array transformer_training_parameters{
    parameter{"layers", 18, 1, 256, "transformer layers"},
    parameter{"hidden", 2048, 8, 65536, "width of the model"},
    parameter{"vocabulary", 32000, 1, 1'000'000, "tokens the model knows"},
    parameter{"sequence", 2048, 1, 1'000'000, "tokens of a sequence"},
    parameter{"batch", 2, 1, 4096, "sequences a micro step"},
    parameter{"steps", 60, 0, 10'000, "optimizer steps"},
    parameter{"accumulate", 1, 1, 64, "micro steps whose gradients are summed up in an optimizer step"},
    parameter{"remat", 0, 0, 1, "1: keep only the input of a layer and compute the rest again"},
    parameter{"donate", 1, 0, 1, "1: the state of a step is donated to the next; 0: both live for a while"},
    parameter{"fused", 0, 0, 1, "1: one program updates the whole state, as a jitted step does; 0: layer by layer"},
    parameter{"eval_every", 10, 0, 10'000, "steps between evaluations; 0: none"},
};

/// Writer of the rows of `transformer_training`.
class transformer_training_writer {
public:
    /// Writes into this draft.
    transformer_training_writer(const settings& given, trace_draft& draft)
        : draft_(draft), layers_(given["layers"]), hidden_(given["hidden"]), vocabulary_(given["vocabulary"]),
          tokens_(given["batch"] * given["sequence"]), steps_(given["steps"]), accumulate_(given["accumulate"]),
          eval_every_(given["eval_every"]), remat_(given["remat"] != 0), donate_(given["donate"] != 0),
          fused_(given["fused"] != 0) {}

    /// Writes the whole trace.
    void write() {
        load_programs();
        make_state();
        draft_buffer batch = draft_.alloc("batch", batch_bytes());
        for (std::uint64_t step = 0; step < steps_; ++step) {
            for (std::uint64_t micro = 0; micro < accumulate_; ++micro) {
                // The host sends the next batch while the present batch is in use.
                draft_buffer next = draft_.alloc("batch", batch_bytes());
                micro_step(batch);
                draft_.free(batch);
                batch = std::move(next);
            }
            update_all();
            draft_.sync();
            if (eval_every_ != 0 && step % eval_every_ == eval_every_ - 1) evaluate(batch);
        }
        draft_.free(batch);
        draft_.free(losses_);
    }

private:
    // A part of the parameters: weights, both moments of Adam, and the gradient between backward pass and update.
    struct part {
        std::uint64_t weights = 0;  // number of weights
        draft_buffers state;
        draft_buffers gradient;
    };
    using layer = std::vector<part>;

    std::uint64_t batch_bytes() const { return 4 * tokens_; }
    std::uint64_t activation_bytes() const { return 2 * tokens_ * hidden_; }  // bfloat16
    std::uint64_t quick() { return 200 + draft_.random.below(50); }

    void load_programs() {
        const std::uint64_t unit = activation_bytes();
        draft_.load("embed", 12 * mib, unit);
        draft_.load("forward", 48 * mib, 6 * unit);
        if (remat_) draft_.load("recompute", 44 * mib, 6 * unit);
        draft_.load("head", 24 * mib, 2 * unit + tokens_ * vocabulary_ / 2);
        draft_.load("backward", 96 * mib, 10 * unit);
        draft_.load("update", 32 * mib, 4 * hidden_ * hidden_);
    }

    void make_state() {
        const std::uint64_t square = hidden_ * hidden_;
        for (std::uint64_t count = 0; count < layers_; ++count) {
            model_.push_back(make_layer({3 * square, square, 4 * square, 4 * square}));
        }
        model_.push_back(make_layer({vocabulary_ * hidden_}));  // the embedding comes after the layers
    }

    layer make_layer(const std::vector<std::uint64_t>& sizes) {
        layer made;
        for (const std::uint64_t weights : sizes) {
            part made_part;
            made_part.weights = weights;
            draft_.wait(quick());
            made_part.state.push_back(draft_.alloc("weights", 4 * weights));
            made_part.state.push_back(draft_.alloc("first_moment", 4 * weights));
            made_part.state.push_back(draft_.alloc("second_moment", 4 * weights));
            made.push_back(std::move(made_part));
        }
        return made;
    }

    static draft_buffers weights_of(const layer& of) {
        draft_buffers all;
        for (const part& each : of) all.push_back(each.state.front());
        return all;
    }

    // Returns the activations of the backward pass in addition to the input: queries, keys and values; attention; both
    // halves of the MLP.
    draft_buffers fresh_activations() {
        const std::uint64_t unit = activation_bytes();
        return {draft_.fresh("activation", 3 * unit), draft_.fresh("activation", unit),
                draft_.fresh("activation", 4 * unit), draft_.fresh("activation", 4 * unit)};
    }

    void micro_step(const draft_buffer& batch) {
        const std::size_t depth = model_.size() - 1;
        const layer& embedding = model_.back();
        std::vector<draft_buffer> entering;  // the input of each layer, and the output of the last
        std::vector<draft_buffers> kept(depth);
        draft_buffers inputs = weights_of(embedding);
        inputs.push_back(batch);
        entering.push_back(draft_.fresh("activation", activation_bytes()));
        draft_.run("embed", inputs, {}, {entering.back()}, "activation");
        for (std::size_t at = 0; at < depth; ++at) {
            draft_.wait(quick());
            inputs = weights_of(model_[at]);
            inputs.push_back(entering.back());
            draft_buffers outputs{draft_.fresh("activation", activation_bytes())};
            if (!remat_) kept[at] = fresh_activations();
            join(outputs, kept[at]);
            draft_.run("forward", inputs, {}, outputs, "activation");
            entering.push_back(outputs.front());
        }
        draft_buffer slope = head(batch, entering.back());
        for (std::size_t at = depth; at-- > 0;) {
            draft_.free(entering[at + 1]);
            backward(model_[at], entering[at], kept[at], slope);
        }
        draft_.free(entering.front());
        collect_gradients("embed", model_.back(), {batch}, {slope}, {});
    }

    // Loss and its gradient with respect to the last activation. The logits are in scratch only.
    draft_buffer head(const draft_buffer& batch, const draft_buffer& last) {
        draft_.wait(quick());
        draft_buffers inputs = weights_of(model_.back());
        inputs.push_back(batch);
        inputs.push_back(last);
        const draft_buffer loss = draft_.fresh("loss", 4);
        draft_buffer slope = draft_.fresh("slope", activation_bytes());
        draft_.run("head", inputs, {}, {slope, loss}, "slope");
        losses_.push_back(loss);
        // The host fetches losses in groups.
        if (losses_.size() >= 20) draft_.free(losses_);
        return slope;
    }

    void backward(layer& of, const draft_buffer& entering, draft_buffers& kept, draft_buffer& slope) {
        draft_buffers inputs = weights_of(of);
        inputs.push_back(entering);
        if (remat_) {
            draft_.wait(quick());
            kept = fresh_activations();
            draft_.run("recompute", inputs, {}, kept, "activation");
        }
        join(inputs, kept);
        draft_buffer earlier = draft_.fresh("slope", activation_bytes());
        collect_gradients("backward", of, inputs, {slope}, {earlier});
        draft_.free(kept);
        slope = std::move(earlier);
    }

    // Runs a program that computes the gradients of a layer; gradients of earlier micro steps are donated to the sums.
    void collect_gradients(std::string_view program, layer& of, const draft_buffers& inputs, draft_buffers donated,
                           draft_buffers outputs) {
        draft_.wait(2 * quick());
        for (part& each : of) {
            join(donated, each.gradient);
            each.gradient = {draft_.fresh("gradient", 2 * each.weights)};
            join(outputs, each.gradient);
        }
        draft_.run(program, inputs, donated, outputs, "gradient");
    }

    // Buffers that an update reads, replaces and makes.
    struct exchange {
        draft_buffers gradients;
        draft_buffers before;
        draft_buffers after;
    };

    void update_all() {
        exchange whole;
        for (layer& each : model_) {
            exchange alone;
            add(each, fused_ ? whole : alone);
            if (!fused_) update(std::move(alone));
        }
        if (fused_) update(std::move(whole));
    }
    void add(layer& of, exchange& into) {
        draft_.wait(quick());
        for (part& each : of) {
            join(into.gradients, each.gradient);
            each.gradient.clear();
            join(into.before, each.state);
            for (draft_buffer& state : each.state) state = draft_.fresh("state", state.bytes);
            join(into.after, each.state);
        }
    }
    void update(exchange of) {
        if (donate_) {
            draft_.run("update", of.gradients, of.before, of.after, "state");
        } else {
            draft_buffers inputs = of.gradients;
            join(inputs, of.before);
            draft_.run("update", inputs, {}, of.after, "state");
            draft_.free(of.before);
        }
        draft_.free(of.gradients);
    }

    // Evaluation has other shapes than training. Meanwhile a checkpoint is copied to the host, so some state is pinned.
    void evaluate(const draft_buffer& batch) {
        if (!eval_loaded_) draft_.load("evaluate", 160 * mib, 12 * activation_bytes());
        eval_loaded_ = true;
        const draft_buffers held = model_.front().front().state;
        for (const draft_buffer& each : held) draft_.pin(each);
        draft_buffers inputs{batch};
        for (const layer& each : model_) join(inputs, weights_of(each));
        for (int sample = 0; sample < 4; ++sample) {
            draft_.wait(10 * quick());
            const std::uint64_t length = 1 + draft_.random.below(tokens_);
            draft_buffers outputs{draft_.fresh("score", 4 * length), draft_.fresh("sample", 2 * length * hidden_)};
            draft_.run("evaluate", inputs, {}, outputs, "sample");
            draft_.free(outputs);
        }
        for (const draft_buffer& each : held) draft_.unpin(each);
    }

    trace_draft& draft_;
    std::uint64_t layers_;
    std::uint64_t hidden_;
    std::uint64_t vocabulary_;
    std::uint64_t tokens_;
    std::uint64_t steps_;
    std::uint64_t accumulate_;
    std::uint64_t eval_every_;
    bool remat_;
    bool donate_;
    bool fused_;
    bool eval_loaded_ = false;
    std::vector<layer> model_;
    draft_buffers losses_;
};

void write_transformer_training(const settings& given, trace_draft& draft) {
    transformer_training_writer(given, draft).write();
}

}  // namespace

/// Transformer training, layer by layer. Every step donates parameters and optimizer state. Activations live from
/// the forward to the backward pass. An evaluation program runs from time to time. Writes the training run: about
/// 10 rows per layer and step; the default sizes fill most of a v5e.
const generator transformer_training{"transformer_training",
                                     "layers with donated optimizer state, activations, now and then an evaluation",
                                     "v5e", transformer_training_parameters, write_transformer_training};

}  // namespace hbm::trace
