#include "compare/command_line/program_option.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "compare/generate/parameters.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

constexpr std::uint64_t max_runs = 100'000;

struct program_key {
    std::string_view name;
    std::string_view expected;
    bool (*apply)(program_request&, std::string_view);
};

bool read_count(std::string_view text, std::uint64_t& into) {
    return trace::parse_number(text, into) && into != 0 && into <= max_runs;
}

bool read_bytes(std::string_view text, std::optional<std::uint64_t>& into) {
    return trace::parse_size(text, into.emplace());
}

bool read_donation(program_request& into, std::string_view text) {
    using imported::donation_choice;
    constexpr std::array<std::pair<std::string_view, donation_choice>, 3> all{
        {{"asis", donation_choice::as_is}, {"all", donation_choice::all}, {"none", donation_choice::none}}};
    for (const auto& [name, choice] : all) {
        if (name != text) continue;
        into.donation = choice;
        return true;
    }
    return false;
}

constexpr std::array<program_key, 8> program_keys{{
    {"runs", "runs=N, a whole number from 1 to 100000",
     [](program_request& into, std::string_view text) { return read_count(text, into.runs); }},
    {"every", "every=N, a whole number from 1 to 100000",
     [](program_request& into, std::string_view text) { return read_count(text, into.every); }},
    {"name", "name=NAME, without blanks",
     [](program_request& into, std::string_view text) {
         into.name = text;
         return !text.empty() && text.find_first_of(" \t\r\n") == std::string_view::npos;
     }},
    {"donate", "donate=asis, donate=all or donate=none", read_donation},
    {"share", "share=yes or share=no",
     [](program_request& into, std::string_view text) {
         into.shares = text == "yes";
         return into.shares || text == "no";
     }},
    {"with", "with=FILE, another file of the same program",
     [](program_request& into, std::string_view text) {
         into.others.emplace_back(text);
         return !text.empty();
     }},
    {"code", "code=SIZE, such as 180MiB",
     [](program_request& into, std::string_view text) { return read_bytes(text, into.code); }},
    {"temp", "temp=SIZE, such as 1.5GiB",
     [](program_request& into, std::string_view text) { return read_bytes(text, into.temp); }},
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

std::string read_program_request(std::string_view text, program_request& into) {
    program_request made;
    made.text = text;
    const std::size_t begin = keys_begin(text);
    made.file = begin == text.size() ? text : text.substr(0, begin - 1);
    if (made.file.empty()) return "FILE[:key=value,...], the path of a file of an XLA dump";
    for (std::size_t from = begin; from < text.size();) {
        const std::size_t comma = text.find(',', from);
        const std::string_view part = text.substr(from, comma == std::string_view::npos ? comma : comma - from);
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        bool is_known = false;
        for (const program_key& each : program_keys) {
            if (each.name != key) continue;
            is_known = true;
            if (equals == std::string_view::npos || !each.apply(made, part.substr(equals + 1)))
                return std::string(each.expected) + ", in place of " + trace::quoted(part);
        }
        if (!is_known)
            return "one of the keys runs, every, name, donate, share, with, code and temp in place of " +
                   trace::quoted(key) +
                   trace::nearest_words(key, program_keys, [](const program_key& each) { return each.name; });
        from = comma == std::string_view::npos ? text.size() : comma + 1;
    }
    into = std::move(made);
    return {};
}

}  // namespace hbm::compare
