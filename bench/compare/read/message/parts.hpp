#pragma once

/// Reads the parts of a message. Each function is given what stands behind the key words of its part.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compare/read/message/message.hpp"
#include "compare/read/message/window.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Reads the parts of messages from a window.
class message_parser {
public:
    /// `bad_number` is set to the first size that cannot be read, unless it is set already. `of_message`: sizes below
    /// 10,000 bytes have units; `ends_text`: nothing follows the window, so that the number at its end may be cut off.
    message_parser(std::string_view rest, const char*& bad_number, bool of_message = false,
                   bool ends_text = false) noexcept
        : text_(rest), bad_number_(bad_number), of_message_(of_message), ends_text_(of_message && ends_text) {}

    /// `hbm. Used 18.00G of 15.75G hbm. Exceeded hbm capacity by 2.25G.`
    void compile(memory_message& into) {
        into.space = word_at(0);
        const std::size_t used = text_.find("Used ");
        into.asked = size_at(used);
        if (used != nowhere) into.capacity = size_after(" of ", used);
        into.exceeded = size_after(" capacity by ");
        if (into.asked) return;
        // `vmem while allocating on stack for ... Scoped allocation with size 20M and limit 16M exceeded ... limit by`
        const std::size_t scoped = text_.find("Scoped allocation with size ");
        if (scoped == nowhere) return;
        into.asked = size_at(scoped);
        into.capacity = size_after(" and limit ", scoped);
        into.exceeded = size_after(" limit by ", scoped);
    }

    /// ` 'jit_step': `
    void program_name(memory_message& into) {
        constexpr std::size_t longest = 1000;
        const std::size_t begin = text_.after_spaces(0);
        const std::string_view all = text_.text().substr(std::min(begin, text_.text().size()), longest);
        if (all.empty()) return;
        const bool is_quoted = all.front() == '\'' || all.front() == '"';
        const std::string_view name = all.substr(is_quoted ? 1 : 0);
        const std::size_t end = is_quoted ? name.find(all.front()) : name.find(':');
        if (end != nowhere && name.find('\n') > end) into.program = name.substr(0, end);
    }

    /// `allocate 8.00M. That was not possible. There are 6.43M free.; (0x0x1_HBM0)`, or
    /// `reserve 29.49G at the bottom of memory. ... There are 1G free, 0B reserved, and 1G reservable.`
    void attempt(memory_message& into) {
        const std::string verb = word_at(0);
        if (verb != "allocate" && verb != "reserve") return;
        if (verb == "reserve") into.kind = message_kind::reservation;
        into.asked = size_at(verb.size());
        const std::size_t are = text_.find("There are ");
        into.free = size_at(are);
        if (are != nowhere && verb == "reserve") {
            const std::size_t comma = text_.find(" free, ", are);
            into.reserved = size_at(comma);
            if (comma != nowhere) into.reservable = size_after(" and ", comma);
        }
        into.largest = size_after("contiguous region of free memory is ");
        into.device = device();
        into.replicas = replicas();
    }

    /// `10485760 bytes in memory 0x0x0_HBM0; 4374528 bytes allocatable, 14942208 bytes available`
    [[nodiscard]] bool is_old_buffer() const { return text_.find(" bytes in memory ") < 40; }
    void old_buffer(memory_message& into) {
        into.asked = size_at(0);
        into.device = device();
        into.largest = size_after("; ");
        into.free = size_after(" allocatable, ");
        // This wording always names the longest piece: it matters only if enough is free.
        if (into.free && into.asked && into.free->bytes < into.asked->bytes) into.largest.reset();
    }

    /// `Requires 3.84T, has 90.96G available.`
    void early_abort(memory_message& into) {
        into.asked = size_after("Requires ");
        into.capacity = size_after(" has ");
    }

    /// `: 34.82G, SparseCore Hbm usage 174.10G, exceeding available bytes: 95.74G`
    void cores(memory_message& into) {
        into.tensor_core = size_at(0);
        into.sparse_core = size_after("Hbm usage");
        into.capacity = size_after("available bytes");
        if (into.tensor_core && into.sparse_core) into.asked = sum(*into.tensor_core, *into.sparse_core);
    }

    /// `107374182400) would exceed memory (size=17179869184) :: #allocation7 [shape = '..', space=hbm, tag = '..']`
    [[nodiscard]] bool is_excess() const { return text_.find("would exceed memory ") < 60; }
    void excess(memory_message& into) {
        into.asked = size_at(0);
        into.capacity = size_after("memory (size=");
        const std::size_t space = text_.find("space=");
        if (space != nowhere) into.space = word_at(space);
        into.shape = quoted_after("shape =");
        into.owner = quoted_after("tag =");
    }

    /// ` >= 18.25G: reserved 256.00M program 10.00G arguments 8.00G`
    void usage(stated_usage& into) {
        into.total = size_at(0);
        usage_lines(into);
    }
    void usage_lines(stated_usage& into) {
        into.reserved = size_of("reserved");
        into.program = size_of("program");
        into.arguments = size_of("arguments");
    }

    /// `6.00G; shares 5.00G with arguments.`, or `unknown.`
    [[nodiscard]] bool is_output() const {
        return !text_.size_text(0).empty() || text_.end_of("unknown", 0) != nowhere;
    }
    void output(stated_output& into) {
        into.size = size_at(0);
        into.shared = size_after("shares ");
    }

    /// ` 10.00G: global 64.0K scoped 1.00M HLO temp 10.00G (96.5% utilization: Unpadded (9.60G) Padded (9.95G), 0.5%
    /// fragmentation (51.20M))`
    void requirement(stated_requirement& into) {
        into.total = size_at(0);
        into.reserved = size_of("reserved");
        into.global = size_of("global");
        into.scoped = size_of("scoped");
        const std::size_t temporaries = text_.find("HLO temp ");
        if (temporaries == nowhere) return;
        into.temporaries = size_at(temporaries);
        message_parser rest{text_.text().substr(temporaries).substr(0, 200), bad_number_};
        into.unpadded = rest.size_after("Unpadded ");
        into.padded = rest.size_after("Padded ");
        into.fragmentation = rest.size_after("fragmentation ");
    }

    /// An entry of the list, without its number: ` 2.00G` and the lines of its fields.
    void item(listed_allocation& into, std::uint64_t rank) {
        into.rank = rank;
        into.size = size_at(0);
        into.origin = line_after("Operator:");
        into.shape = line_after("Shape:");
        into.unpadded = size_after("Unpadded size:");
        into.padding = size_after("due to padding:");
        into.label = line_after("XLA label:");
        into.type = line_after("Allocation type:");
    }

    /// `8.00G: Top-of-Memory reserved: 529.00M (554,696,704 bytes) Currently allocated: 6.08G (6,532,939,776 bytes)
    /// ...`
    void ledger(stated_ledger& into) {
        into.capacity = size_at(0);
        into.top_reserved = exact_after("reserved:");
        into.allocated = exact_after("allocated:");
        into.required = exact_after("requirement:");
        into.largest = size_after("free chunk ");
        // Exact where both are, because a load that does not fit leaves a negative rest, in exact bytes.
        const std::optional<rounded_size> missing = exact_after("after request:", true);
        if (into.required && missing && into.required->is_exact() && missing->is_exact() &&
            missing->bytes <= into.required->bytes) {
            const std::uint64_t free = into.required->bytes - missing->bytes;
            into.free = rounded_size{free, free, free};
        }
    }

    /// ` 1.00G / 15.75G`
    void program_fits(stated_statistics& into) {
        into.program = size_at(0);
        into.limit = size_after("/");
    }
    /// `: 76288, 'bytes_limit': 33014415360, ...`: what `memory_stats()` returns, as Python prints it.
    void statistics(stated_statistics& into) {
        into.in_use = size_at(0);
        into.limit = size_after("bytes_limit");
        into.peak = size_after("peak_bytes_in_use");
        into.largest = size_after("largest_free_block_bytes");
        into.reserved = size_after("bytes_reserved");
    }

    [[nodiscard]] std::optional<rounded_size> size_here() { return size_at(0); }

private:
    static constexpr std::size_t nowhere = window::nowhere;

    [[nodiscard]] static std::optional<rounded_size> sum(const rounded_size& a, const rounded_size& b) noexcept {
        const auto added = [](std::uint64_t x, std::uint64_t y) { return x + y < x ? ~std::uint64_t{0} : x + y; };
        return rounded_size{added(a.bytes, b.bytes), added(a.low, b.low), added(a.high, b.high)};
    }

    [[nodiscard]] std::optional<rounded_size> size_at(std::size_t at) {
        if (at == nowhere) return std::nullopt;
        const std::string_view digits = text_.size_text(at);
        if (digits.empty()) return std::nullopt;
        const std::optional<rounded_size> read = read_rounded_size(digits);
        const bool is_wrong = !read || is_cut(digits);
        if (is_wrong && bad_number_ == nullptr) bad_number_ = digits.data();
        return is_wrong ? std::nullopt : read;
    }
    /// Whether a number without a unit is the last of the text, or broken by the end of a line: `8`, and `.00M` in the
    /// next. Of bytes there are more than four digits: 9999 is the most before a unit.
    [[nodiscard]] bool is_cut(std::string_view digits) const {
        const std::size_t end = text_.offset_of(digits) + digits.size();
        const std::string_view rest = text_.text().substr(end);
        if (digits.size() > 4 || !window::is_digit(digits.back())) return false;
        if (rest.size() > 1 && rest[0] == '\n' && (rest[1] == '.' || window::is_digit(rest[1]))) return of_message_;
        return ends_text_ && text_.after_spaces(end + (rest.starts_with('.') ? 1 : 0)) == text_.text().size();
    }
    [[nodiscard]] std::optional<rounded_size> size_after(std::string_view words, std::size_t from = 0) {
        return size_at(text_.find(words, from));
    }
    /// The size behind a word that stands alone, such as the first of several parts called `program`.
    [[nodiscard]] std::optional<rounded_size> size_of(std::string_view word) {
        for (std::size_t end = text_.find_word(word); end != nowhere; end = text_.find_word(word, end)) {
            const std::size_t value = text_.after_spaces(end);
            if (value == end || value == text_.text().size()) continue;
            if (window::is_digit(text_.text()[value])) return size_at(value);
            if (text_.end_of("unknown", value) != nowhere) return std::nullopt;
        }
        return std::nullopt;
    }
    /// The exact bytes in brackets behind `label`, else the rounded size in front of them.
    [[nodiscard]] std::optional<rounded_size> exact_after(std::string_view label, bool is_negative = false) {
        const std::size_t at = text_.find(label);
        if (at == nowhere) return std::nullopt;
        if (text_.text().substr(text_.after_spaces(at)).starts_with('-') != is_negative) return std::nullopt;
        const std::string_view line = text_.rest_of_line(at);
        std::string digits;
        if (const std::size_t open = line.find('('); open != nowhere)
            for (const char each : line.substr(open, line.find(')', open) - open))
                if (window::is_digit(each)) digits += each;
        const std::optional<rounded_size> exact = read_rounded_size(digits);
        return exact ? exact : size_at(at);
    }

    [[nodiscard]] std::string word_at(std::size_t at) const {
        at = text_.after_spaces(at);
        std::size_t end = at;
        const std::string_view all = text_.text();
        while (end < all.size() && end - at < 40 && (window::is_letter(all[end]) || window::is_digit(all[end]))) ++end;
        return std::string(all.substr(std::min(at, all.size()), end - at));
    }
    [[nodiscard]] std::string quoted_after(std::string_view words) const {
        const std::size_t at = text_.find(words);
        if (at == nowhere) return {};
        const std::string_view rest = text_.rest_of_line(at);
        if (rest.empty() || (rest.front() != '\'' && rest.front() != '"')) return {};
        const std::size_t end = rest.find(rest.front(), 1);
        return std::string(rest.substr(1, end == nowhere ? end : end - 1));
    }
    /// The value of a field: to the end of its line, or to the next field where lines run together.
    [[nodiscard]] std::string line_after(std::string_view field) const {
        const std::size_t at = text_.find(field);
        if (at == nowhere) return {};
        std::string_view value = text_.rest_of_line(at);
        for (const std::string_view next : {" Operator: ", " Shape: ", " Unpadded size: ", " Extra memory due to ",
                                            " XLA label: ", " Allocation type: ", " ====="})
            value = value.substr(0, value.find(next));
        while (!value.empty() && window::is_space(value.back())) value.remove_suffix(1);
        return std::string(value);
    }
    /// `0x0x1_HBM0`
    [[nodiscard]] std::string device() const {
        const std::string_view all = text_.text();
        std::size_t end = all.find("_HBM");
        if (end == nowhere) return {};
        std::size_t begin = end;
        while (begin > 0 && end - begin < 30 && (window::is_digit(all[begin - 1]) || all[begin - 1] == 'x')) --begin;
        end += 4;
        while (end < all.size() && end - begin < 40 && window::is_digit(all[end])) ++end;
        return std::string(all.substr(begin, end - begin));
    }
    /// `replica 0 and partition 34`
    [[nodiscard]] std::string replicas() const {
        const std::size_t at = text_.find("while running ");
        if (at == nowhere) return {};
        const std::string_view rest = text_.rest_of_line(at);
        const std::size_t end = rest.find(" of a ");
        return end == nowhere || end > 60 ? std::string{} : std::string(rest.substr(0, end));
    }

    window text_;
    const char*& bad_number_;
    bool of_message_;
    bool ends_text_;
};

}  // namespace hbm::imported
