#include "micro/catalogue.hpp"

#include <utility>

namespace hbm::micro {

catalogue::catalogue(const report_options& options) {
    const std::uint64_t seed = options.seed;
    const auto add = [&](std::string name, std::function<workload()> generate) {
        entries_.push_back({std::move(name), std::move(generate), {}});
    };
    const auto add_churn = [&](const char* name, std::uint32_t blocks, std::uint64_t max_bytes) {
        add(name, [=] { return steady_churn(blocks, max_bytes, 300'000, usual_warm_up(blocks), seed + 1); });
    };
    add_churn("W1_1k", 1000, 64 * mebibyte);
    add_churn("W1_10k", 10'000, 64 * mebibyte);
    add_churn("W1_100k", 100'000, 8 * mebibyte);
    if (options.full) add_churn("W1_1M", 1'000'000, 512 * kibibyte);
    add("W2", [=] { return training_steps(2000, seed + 2); });
    add("W3", [=] { return serving(20'000, seed + 3); });
    add("W4", [=] { return slow_leak(400'000, seed + 4); });
    const auto add_trace = [&](std::string name) {
        add(name, [=] { return recorded(HBM_TRACE_DIRECTORY "/" + name + ".csv", name); });
    };
    add_trace("gpt_checkpoint");
    add_trace("kvcache_serving");
    if (!options.full) return;
    for (const char* name : {"effnet_ema_accum", "gnn_subgraphs", "gpt_adamw_foreach", "lstm_lm", "resnet18_sgd",
                             "resnet50_multiscale", "swin_infer_dynamic"})
        add_trace(name);
}

const workload& catalogue::operator[](std::size_t at) {
    entry& selected = entries_[at];
    if (selected.load.operations.empty()) {
        selected.load = selected.generate();
        selected.load.name = selected.name;
    }
    return selected.load;
}

}  // namespace hbm::micro
