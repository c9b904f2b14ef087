#include "compare/read/message/surroundings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compare/read/samples/printed_samples.hpp"
#include "compare/read/samples/samples_log.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// Fullest device of a measurement, which may take several lines, one for each device.
struct measurement {
    std::size_t line = 0;  ///< last line, from 1
    std::uint64_t in_use = 0;
    std::uint64_t memory = 0;
};

std::vector<measurement> measurements_in(std::string_view log) {
    std::vector<measurement> all;
    std::size_t line = 0;
    for (std::size_t begin = 0, end = 0; begin < log.size(); begin = end + 1) {
        ++line;
        end = std::min(log.find('\n', begin), log.size());
        const std::string_view text = log.substr(begin, end - begin);
        std::vector<sample> devices =
            text.find(keys[0]) != std::string_view::npos ? samples_in(text) : std::vector<sample>{};
        if (devices.empty()) devices = printed_samples_in(text);
        for (const sample& device : devices) {
            if (!device.values[0] || !device.values[2]) continue;
            if (all.empty() || all.back().line + 1 < line) all.push_back({});
            measurement& last = all.back();
            const bool is_fuller = last.line == 0 || *device.values[0] > last.in_use;
            last.line = line;
            if (!is_fuller) continue;
            last.in_use = *device.values[0];
            last.memory = *device.values[2];
        }
    }
    return all;
}

/// Returns true if a log is that of a server, by the words that vLLM and SGLang print.
bool is_of_server(std::string_view log) {
    constexpr std::string_view marks[] = {"kv-cache",
                                          "kv cache",
                                          "KV cache",
                                          "KV Cache",
                                          "kv_cache",
                                          "KVCache",
                                          "KV pool",
                                          "vllm",
                                          "vLLM",
                                          "EngineCore",
                                          "sglang",
                                          "sgl_jax",
                                          "tpu_inference",
                                          "tpu_runner",
                                          "mem_fraction",
                                          "gpu_memory_utilization",
                                          "gpu-memory-utilization"};
    return has_any(log, marks);
}

}  // namespace

void add_surroundings(std::string_view log, std::vector<memory_message>& messages) {
    const std::vector<measurement> all = measurements_in(log);
    const bool has_pool = is_of_server(log);
    for (memory_message& message : messages) {
        message.around.has_pool = has_pool;
        const auto after = std::find_if(all.begin(), all.end(),
                                        [&](const measurement& measured) { return measured.line > message.line; });
        if (after == all.begin()) continue;
        message.around.in_use = exactly((after - 1)->in_use);
        message.around.memory = exactly((after - 1)->memory);
    }
}

}  // namespace hbm::imported
