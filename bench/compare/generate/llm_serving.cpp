#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/generate/generate.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

constexpr std::array llm_serving_parameters{
    parameter{"requests", 180, 0, 100'000, "requests in all"},
    parameter{"concurrency", 48, 1, 1024, "requests at a time, at most"},
    parameter{"weights", 8 * gib, mib, 1ULL << 42U, "weights of the model", true},
    parameter{"layers", 32, 1, 256, "buffers that hold the weights"},
    parameter{"kv", 6 * gib, 0, 1ULL << 42U, "room for KV pages; no request is admitted beyond it", true},
    parameter{"page", 2 * mib, 512, gib, "a KV page: 16 tokens", true},
    parameter{"prompt", 4096, 64, 65536, "tokens of the longest prompt; the shortest has 64"},
    parameter{"output", 128, 1, 4096, "tokens of an answer, on average"},
};

/// Writer of the rows of `llm_serving`.
class llm_serving_writer {
public:
    /// Writes into this draft.
    llm_serving_writer(const settings& given, trace_draft& draft)
        : draft_(draft), waiting_(given["requests"]), concurrency_(given["concurrency"]), weights_(given["weights"]),
          layers_(given["layers"]), page_(given["page"]), pages_(given["kv"] / given["page"]),
          longest_(given["prompt"]), answer_(given["output"]) {}

    /// Writes the whole trace.
    void write() {
        for (std::uint64_t layer = 0; layer < layers_; ++layer) {
            draft_.wait(5000);
            model_.push_back(draft_.alloc("weights", weights_ / layers_));
        }
        load_programs();
        draft_buffer state = draft_.alloc("state", state_bytes);
        draft_buffers answered{draft_.alloc("token", 4 * kib)};
        propose();
        while (waiting_ + active_.size() != 0) {
            if (waiting_ != 0 && !admit() && active_.empty()) {
                // It does not even fit alone: it is rejected, so that the other requests are served.
                --waiting_;
                propose();
                continue;
            }
            decode(state, answered);
            retire();
        }
        draft_.free(answered);
        draft_.free(state);
    }

private:
    struct request {
        std::uint64_t tokens = 0;  // stored in its pages
        std::uint64_t left = 0;    // tokens still to be generated
        draft_buffers pages;
    };

    static constexpr std::uint64_t page_tokens = 16;
    static constexpr std::uint64_t shortest = 64;
    static constexpr std::uint64_t token_bytes = 16 * kib;  // bytes of a prompt's token during prefill
    static constexpr std::uint64_t state_bytes = 3 * mib + 512;

    static std::uint64_t pages_for(std::uint64_t tokens) { return (tokens + page_tokens - 1) / page_tokens; }
    static std::string prefill_name(std::uint64_t tokens) { return "prefill_" + decimal(tokens); }
    static std::string decode_name(std::uint64_t batch) { return "decode_" + decimal(batch); }

    // Programs are compiled for powers of two.
    std::uint64_t largest_batch() const { return std::max(std::bit_ceil(concurrency_), std::uint64_t{8}); }

    void load_programs() {
        std::uint64_t code = 120 * mib;
        for (std::uint64_t tokens = shortest; tokens <= std::bit_ceil(longest_); tokens *= 2) {
            draft_.load(prefill_name(tokens), code, std::min(tokens, std::uint64_t{4096}) * 96 * kib);
            code += 24 * mib;
        }
        code = 128 * mib;
        for (std::uint64_t batch = 8; batch <= largest_batch(); batch *= 2) {
            draft_.load(decode_name(batch), code, batch * 2 * mib);
            code += 32 * mib;
        }
        draft_.load("sample", 18 * mib, 24 * mib);
    }

    // Draws the next request, which then waits until it fits.
    void propose() {
        next_.tokens = draft_.random.log_uniform(shortest, longest_);
        next_.left = 1 + draft_.random.exponential(answer_);
    }

    // Admits the next request if its longest possible answer fits, too.
    bool admit() {
        const std::uint64_t need = pages_for(next_.tokens + next_.left);
        if (active_.size() == concurrency_ || promised_ + need > pages_) return false;
        promised_ += need;
        --waiting_;
        request admitted = std::move(next_);
        const draft_buffer prompt = draft_.alloc("prompt", admitted.tokens * token_bytes);
        grow(admitted);
        draft_.wait(admitted.tokens * 40);
        draft_buffers inputs = model_;
        join(inputs, admitted.pages);
        // The prompt is donated; only a part of it is an output, in a buffer of another size.
        const draft_buffer hidden = draft_.fresh("hidden", (admitted.tokens * token_bytes + 3) / 4);
        draft_.run(prefill_name(std::bit_ceil(admitted.tokens)), inputs, {prompt}, {hidden}, "hidden");
        draft_.free(hidden);
        active_.push_back(std::move(admitted));
        next_ = {};
        propose();
        return true;
    }

    void grow(request& of) {
        while (of.pages.size() < pages_for(of.tokens)) of.pages.push_back(draft_.alloc("kv_page", page_));
    }

    void decode(draft_buffer& state, draft_buffers& answered) {
        draft_.wait(15000 + draft_.random.exponential(3000));
        draft_buffers inputs = model_;
        for (request& each : active_) {
            ++each.tokens;
            --each.left;
            grow(each);
            inputs.push_back(each.pages.back());
        }
        const std::uint64_t batch = std::max(std::bit_ceil(std::uint64_t{active_.size()}), std::uint64_t{8});
        const draft_buffer logits = draft_.fresh("logits", batch * 128 * kib);
        draft_buffer after = draft_.fresh("state", state_bytes);
        draft_.run(decode_name(batch), inputs, {state}, {after, logits}, "logits");
        state = std::move(after);
        const draft_buffer token = draft_.fresh("token", 4 * kib);
        draft_.run("sample", {}, {logits}, {token}, "token");
        // The host reads answers a few steps later.
        answered.push_back(token);
        if (answered.size() > 4) {
            draft_.free(answered.front());
            answered.erase(answered.begin());
        }
    }

    // Frees the pages of completed requests.
    void retire() {
        for (std::size_t at = active_.size(); at-- > 0;) {
            request& each = active_[at];
            if (each.left != 0) continue;
            promised_ -= each.pages.size();
            draft_.free(each.pages);
            std::swap(each, active_.back());
            active_.pop_back();
        }
    }

    trace_draft& draft_;
    std::uint64_t waiting_;
    std::uint64_t concurrency_;
    std::uint64_t weights_;
    std::uint64_t layers_;
    std::uint64_t page_;
    std::uint64_t pages_;
    std::uint64_t longest_;
    std::uint64_t answer_;
    std::uint64_t promised_ = 0;  // pages of the active requests when their answers are complete
    draft_buffers model_;
    std::vector<request> active_;
    request next_;
};

void write_llm_serving(const settings& given, trace_draft& draft) {
    llm_serving_writer(given, draft).write();
}

}  // namespace

/// Serving a large language model: weights that stay, KV pages that are allocated and freed with requests, prompts
/// of all lengths, and more programs than fit into memory. Writes the requests. The default sizes need a v5e; all
/// programs together need more than a v5e has.
const generator llm_serving{"llm_serving", "weights, KV pages and prompts of many requests, more programs than fit",
                            "v5e", llm_serving_parameters, write_llm_serving};

}  // namespace hbm::trace
