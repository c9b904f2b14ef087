#include "compare/command_line/option_values.hpp"

#include <hbm/tpu/generations.hpp>

#include <array>
#include <bit>
#include <utility>

#include "compare/command_line/sweep.hpp"
#include "compare/generate/parameters.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Reads a value that is a word from a list.
template <class Value, std::size_t Count>
std::string choose(Value& into, std::string_view text,
                   const std::array<std::pair<std::string_view, Value>, Count>& all) {
    std::string expected;
    for (std::size_t at = 0; at < Count; ++at) {
        if (all[at].first == text) {
            into = all[at].second;
            return {};
        }
        expected += at == 0 ? "" : at + 1 == Count ? " or " : ", ";
        expected += all[at].first;
    }
    return expected;
}

}  // namespace

std::string read_when(when& into, std::string_view text) {
    return choose<when, 3>(into, text, {{{"auto", when::automatic}, {"always", when::always}, {"never", when::never}}});
}

std::string add_trace(options& into, std::string_view text) {
    if (text.empty()) return "the path of a trace file";
    into.sources.push_back({std::string(text), false, {}});
    return {};
}

std::string add_workload(options& into, std::string_view text) {
    if (text.empty()) return "the name of a workload";
    into.sources.push_back({std::string(text), true, {}});
    return {};
}

std::string read_capacity(options& into, std::string_view text) {
    using kind = capacity_choice::kind;
    if (text == "unlimited" || text == "min") {
        into.capacities.push_back(
            {.what = text == "min" ? kind::minimum : kind::unlimited, .device = {}, .text = std::string(text)});
        return {};
    }
    std::string expected = "unlimited, min, a size such as 15.75GiB or 16GB (K, M, G or T), or a generation:";
    std::string wanted;  // v5e, also as V5E; 7x also as v7x
    for (const char each : text) wanted += each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
    for (const memory_spec& generation : tpu::generations) {
        if (wanted == generation.name || wanted == std::string("v") + generation.name) {
            into.capacities.push_back({.what = kind::given, .device = generation, .text = std::string(text)});
            return {};
        }
        expected += std::string(expected.back() == ':' ? " " : ", ") + generation.name;
    }
    std::uint64_t bytes = 0;
    if (!trace::parse_size(text, bytes)) return expected;
    capacity_choice& made = into.capacities.emplace_back();
    made = {.what = kind::given, .device = tpu::v5e, .text = std::string(text)};
    made.device.name = "custom";
    made.device.capacity = bytes;
    return {};
}

std::string read_quantum(options& into, std::string_view text) {
    std::uint64_t bytes = 0;
    if (!trace::parse_size(text, bytes) || !std::has_single_bit(bytes)) return "a power of two, such as 512";
    into.quanta.push_back(bytes);
    return {};
}

std::string read_in_flight(options& into, std::string_view text) {
    std::uint64_t runs = max_in_flight;
    if (text != "unlimited" && (!trace::parse_number(text, runs) || runs > max_in_flight))
        return "unlimited, or a whole number from 0 to " + std::to_string(max_in_flight);
    into.in_flight = static_cast<std::uint32_t>(runs);
    return {};
}

std::string read_seed(options& into, std::string_view text) {
    if (read_range(text, into.seeds)) return {};
    return "a whole number from 0 to 18446744073709551615, or a range of at most " + std::to_string(max_values) +
           ", such as 1..20";
}

std::string read_shard(options& into, std::string_view text) {
    std::uint64_t which = 0;
    std::uint64_t all = 0;
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || !trace::parse_number(text.substr(0, slash), which) ||
        !trace::parse_number(text.substr(slash + 1), all) || which == 0 || which > all || all > max_values)
        return "I/N, two whole numbers from 1, I at most N, such as 2/8";
    into.shard = static_cast<std::size_t>(which);
    into.shards = static_cast<std::size_t>(all);
    return {};
}

std::string read_rounds(options& into, std::string_view text) {
    std::uint64_t rounds = 0;
    if (!trace::parse_number(text, rounds) || rounds > 1000) return "a whole number from 0 to 1000";
    into.rounds = rounds;
    return {};
}

std::string read_jobs(options& into, std::string_view text) {
    std::uint64_t jobs = 0;
    if (!trace::parse_number(text, jobs) || jobs == 0 || jobs > 1024) return "a whole number from 1 to 1024";
    into.jobs = static_cast<std::size_t>(jobs);
    return {};
}

std::string read_effort(options& into, std::string_view text) {
    return trace::parse_number(text, into.effort) ? "" : "a whole number from 0 to 18446744073709551615";
}

std::string read_format(options& into, std::string_view text) {
    into.has_format = true;
    return choose<output_format, 4>(into.format, text,
                                    {{{"table", output_format::table},
                                      {"csv", output_format::csv},
                                      {"json", output_format::json},
                                      {"md", output_format::md}}});
}

std::string add_program(options& into, std::string_view text) {
    return read_program_request(text, into.programs.emplace_back());
}

}  // namespace hbm::compare
