#include "compare/command_line/option_values.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "compare/command_line/texts.hpp"
#include "compare/generate/parameters.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Returns several words as a list: `a, b or c`.
std::string alternatives(std::vector<std::string_view> words) {
    const std::string last(words.back());
    words.pop_back();
    std::string others;
    for (const std::string_view word : words) append_item(others, word);
    return filled(texts::alternatives, {{"others", others}, {"last", last}});
}

/// Reads a value that is a word from a list.
template <class Value, std::size_t Count>
std::string choose(Value& target, std::string_view text,
                   const std::array<std::pair<std::string_view, Value>, Count>& all) {
    std::vector<std::string_view> words;
    for (const auto& [word, value] : all) {
        words.push_back(word);
        if (word != text) continue;
        target = value;
        return {};
    }
    return alternatives(words);
}

}  // namespace

std::string read_when(when& target, std::string_view text) {
    return choose<when, 3>(target, text,
                           {{{"auto", when::automatic}, {"always", when::always}, {"never", when::never}}});
}

std::string add_trace(options& settings, std::string_view text) {
    if (text.empty()) return "the path of a trace file, or - for stdin";
    settings.sources.push_back({std::string(text == "-" ? "/dev/stdin" : text), false});
    return {};
}

std::string add_workload(options& settings, std::string_view text) {
    if (text.empty()) return "the name of a workload";
    settings.sources.push_back({std::string(text), true});
    return {};
}

std::string read_capacity(options& settings, std::string_view text) {
    using kind = capacity_choice::kind;
    if (text == "unlimited" || text == "min") {
        settings.capacities.push_back(
            {.what = text == "min" ? kind::minimum : kind::unlimited, .device = {}, .text = std::string(text)});
        return {};
    }
    std::string generations;
    std::string wanted;  // v5e, also as V5E; 7x also as v7x
    for (const char letter : text)
        wanted += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    for (const memory_spec& generation : tpu::generations) {
        if (wanted == generation.name || wanted == std::string("v") + generation.name) {
            settings.capacities.push_back({.what = kind::given, .device = generation, .text = std::string(text)});
            return {};
        }
        append_item(generations, generation.name);
    }
    std::uint64_t bytes = 0;
    if (!trace::parse_size(text, bytes)) return filled(texts::capacity_value, {{"generations", generations}});
    capacity_choice& choice = settings.capacities.emplace_back();
    choice = {.what = kind::given, .device = tpu::v5e, .text = std::string(text)};
    choice.device.name = "custom";
    choice.device.capacity = bytes;
    return {};
}

std::string read_quantum(options& settings, std::string_view text) {
    std::uint64_t bytes = 0;
    if (!trace::parse_size(text, bytes) || !std::has_single_bit(bytes)) return "a power of two, such as 512";
    settings.quanta.push_back(bytes);
    return {};
}

std::string read_in_flight(options& settings, std::string_view text) {
    std::uint64_t runs = max_in_flight;
    if (text != "unlimited" && (!trace::parse_number(text, runs) || runs > max_in_flight))
        return filled(texts::in_flight_value, {{"most", max_in_flight}});
    settings.in_flight = static_cast<std::uint32_t>(runs);
    return {};
}

std::string read_seed(options& settings, std::string_view text) {
    return std::string(trace::parse_number(text, settings.seed) ? "" : texts::seed_value);
}

std::string read_jobs(options& settings, std::string_view text) {
    std::uint64_t jobs = 0;
    if (!trace::parse_number(text, jobs) || jobs == 0 || jobs > 1024) return "a whole number from 1 to 1024";
    settings.jobs = static_cast<std::size_t>(jobs);
    return {};
}

std::string read_format(options& settings, std::string_view text) {
    settings.has_format = true;
    return choose<output_format, 4>(settings.format, text,
                                    {{{"table", output_format::table},
                                      {"csv", output_format::csv},
                                      {"json", output_format::json},
                                      {"md", output_format::md}}});
}

std::string read_help(options& settings, std::string_view text) {
    settings.help = true;
    settings.topic = text;
    const std::vector<std::string_view> topics = help_topics();
    if (text.empty() || std::find(topics.begin(), topics.end(), text) != topics.end()) return {};
    const std::string nearest = trace::nearest_words(text, topics, [](std::string_view entry) { return entry; });
    return filled(nearest == "." ? texts::help_value : texts::help_value_nearest,
                  {{"topics", alternatives(topics)}, {"nearest", nearest}});
}

std::string add_program(options& settings, std::string_view text) {
    return read_program_request(text, settings.programs.emplace_back());
}

std::string add_served(options& settings, std::string_view text) {
    return read_program_request(text, settings.served.emplace_back());
}

namespace {

constexpr std::uint64_t max_runs = 100'000;

struct program_key {
    std::string_view name;
    std::string_view expected;
    bool (*apply)(program_request&, std::string_view);
};

bool read_count(std::string_view text, std::uint64_t& target) {
    return trace::parse_number(text, target) && target != 0 && target <= max_runs;
}

bool read_bytes(std::string_view text, std::optional<std::uint64_t>& target) {
    return trace::parse_size(text, target.emplace());
}

bool read_donation(program_request& program, std::string_view text) {
    using imported::donation_choice;
    constexpr std::array<std::pair<std::string_view, donation_choice>, 3> all{
        {{"asis", donation_choice::as_is}, {"all", donation_choice::all}, {"none", donation_choice::none}}};
    for (const auto& [name, choice] : all) {
        if (name != text) continue;
        program.donation = choice;
        return true;
    }
    program.donation = donation_choice::named;
    program.donated.clear();
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find('+', from), text.size());
        const std::string_view part = text.substr(from, end - from);
        const std::size_t dash = std::min(part.find('-'), part.size());
        imported::argument_range& range = program.donated.emplace_back();
        if (!trace::parse_number(part.substr(0, dash), range.first)) return false;
        range.last = range.first;
        if (dash != part.size() && !trace::parse_number(part.substr(dash + 1), range.last)) return false;
        if (range.last < range.first) return false;
        from = end + 1;
    }
    return true;
}

constexpr std::array<program_key, 8> program_keys{{
    {"runs", "runs=N, a whole number from 1 to 100000",
     [](program_request& program, std::string_view text) { return read_count(text, program.runs); }},
    {"every", "every=N, a whole number from 1 to 100000",
     [](program_request& program, std::string_view text) { return read_count(text, program.every); }},
    {"name", "name=NAME, without blanks",
     [](program_request& program, std::string_view text) {
         program.name = text;
         return !text.empty() && text.find_first_of(" \t\r\n") == std::string_view::npos;
     }},
    {"donate", "donate=asis, donate=all, donate=none, or numbers of arguments such as donate=0+3-5", read_donation},
    {"share", "share=yes or share=no",
     [](program_request& program, std::string_view text) {
         program.shares = text == "yes";
         return program.shares || text == "no";
     }},
    {"with", "with=FILE, another file of the same program",
     [](program_request& program, std::string_view text) {
         program.others.emplace_back(text);
         return !text.empty();
     }},
    {"code", "code=SIZE, such as 180MiB",
     [](program_request& program, std::string_view text) { return read_bytes(text, program.code); }},
    {"temp", "temp=SIZE, such as 1.5GiB",
     [](program_request& program, std::string_view text) { return read_bytes(text, program.temp); }},
}};

/// Returns the position of the keys: behind the last colon that a word and `=` follow, or the size of the text.
std::size_t keys_begin(std::string_view text) {
    for (std::size_t colon = text.rfind(':'); colon != std::string_view::npos && colon != 0;
         colon = text.rfind(':', colon - 1)) {
        const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", colon + 1);
        if (end != std::string_view::npos && end != colon + 1 && text[end] == '=') return colon + 1;
    }
    return text.size();
}

}  // namespace

std::string read_program_request(std::string_view text, program_request& request) {
    program_request program;
    program.text = text;
    const std::size_t begin = keys_begin(text);
    program.file = begin == text.size() ? text : text.substr(0, begin - 1);
    if (program.file.empty()) return "FILE[:key=value,...], the path of a file of an XLA dump";
    for (std::size_t from = begin; from < text.size();) {
        const std::size_t comma = text.find(',', from);
        const std::string_view part = text.substr(from, comma == std::string_view::npos ? comma : comma - from);
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        bool is_known = false;
        for (const program_key& entry : program_keys) {
            if (entry.name != key) continue;
            is_known = true;
            if (equals == std::string_view::npos || !entry.apply(program, part.substr(equals + 1)))
                return filled(texts::program_value,
                              {{"expected", std::string(entry.expected)}, {"found", trace::quoted(part)}});
        }
        const auto name_of = [](const program_key& entry) { return entry.name; };
        if (!is_known)
            return filled(texts::program_key, {{"found", trace::quoted(key)},
                                               {"nearest", trace::nearest_words(key, program_keys, name_of)}});
        from = comma == std::string_view::npos ? text.size() : comma + 1;
    }
    request = std::move(program);
    return {};
}

}  // namespace hbm::compare
