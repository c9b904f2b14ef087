#include <algorithm>
#include <array>
#include <cstddef>

#include "compare/command_line/options.hpp"
#include "compare/generate/parameters.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::compare {

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
    program.donation = text == "asis"   ? donation_choice::as_is
                       : text == "all"  ? donation_choice::all
                       : text == "none" ? donation_choice::none
                                        : donation_choice::named;
    if (program.donation != donation_choice::named) return true;
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

program_request read_program_request(std::string_view option, std::string_view text) {
    const auto fail = [&](const std::string& expected) {
        throw usage_error(std::string(option) + ": found " + trace::quoted(text) + ", expected " + expected);
    };
    program_request program;
    program.text = text;
    const std::size_t begin = keys_begin(text);
    program.file = begin == text.size() ? text : text.substr(0, begin - 1);
    if (program.file.empty()) fail("FILE[:key=value,...], the path of a file of an XLA dump");
    for (std::size_t from = begin; from < text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string_view part = text.substr(from, comma - from);
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        const auto known = std::find_if(program_keys.begin(), program_keys.end(),
                                        [&](const program_key& entry) { return entry.name == key; });
        if (known == program_keys.end())
            fail("one of the keys runs, every, name, donate, share, with, code and temp in place of " +
                 trace::quoted(key) +
                 trace::nearest_words(key, program_keys, [](const program_key& entry) { return entry.name; }));
        if (equals == std::string_view::npos || !known->apply(program, part.substr(equals + 1)))
            fail(std::string(known->expected) + ", in place of " + trace::quoted(part));
        from = comma + 1;
    }
    return program;
}

}  // namespace hbm::compare
