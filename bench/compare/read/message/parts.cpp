#include "compare/read/message/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "compare/read/message/window.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

void message_parser::compile(memory_message& target) {
    target.space = word_at(0);
    constexpr std::string_view words = "allocating on stack for ";
    if (const std::size_t owner = text_.find(words); owner != nowhere && owner < 80) {
        target.owner = name_at(owner);
        if (target.owner.starts_with('%')) target.owner.erase(0, 1);
    }
    used(target);
    if (target.asked) return;
    const std::size_t estimate = text_.find("Estimated ");
    target.asked = size_at(estimate);
    if (estimate != nowhere) target.capacity = size_after(" exceeds ", estimate);
}

bool message_parser::is_excess_of_space() const {
    const std::size_t by = text_.find(" capacity by ");
    return by < 40 && !text_.size_text(by).empty();
}

void message_parser::excess_of_space(memory_message& target) {
    target.space = word_at(0);
    target.exceeded = size_after(" capacity by ");
}

void message_parser::used(memory_message& target) {
    std::size_t last = nowhere;
    for (std::size_t at = text_.find("Used "); at != nowhere; at = text_.find("Used ", at)) last = at;
    target.asked = size_at(last);
    if (last != nowhere) target.capacity = size_after(" of ", last);
}

void message_parser::scoped(memory_message& target) {
    target.asked = size_at(0);
    target.capacity = size_after(" and limit ");
    if (const std::size_t limit = text_.find("exceeded scoped "); limit != nowhere && target.space.empty())
        target.space = word_at(limit);
    target.exceeded = size_after(" limit by ");
    target.is_setting = true;
}

void message_parser::temporaries(memory_message& target) {
    target.asked = size_at(0);
    target.capacity = size_after(" available HBM ");
    if (const std::size_t name = text_.find("HLO module: "); name != nowhere) target.program = name_at(name);
}

void message_parser::sparse_core(memory_message& target) {
    // A word of the SparseCore has 4 bytes.
    const auto words = [&](std::size_t at) -> std::optional<rounded_size> {
        const std::optional<rounded_size> count = size_at(at);
        if (!count || count->bytes >> 60 != 0) return std::nullopt;
        return exactly(count->bytes * 4);
    };
    target.asked = words(0);
    target.capacity = words(text_.find("offset upper bound ("));
    target.space = "SparseCore";
    if (const std::size_t space = text_.find("memory space "); space != nowhere)
        target.space += " memory space " + word_at(space);
}

void message_parser::rematerialization(memory_message& target) {
    target.capacity = exact_after("");
    target.asked = exact_after("only reduced to ");
}

void message_parser::donation(memory_message& target) {
    // `ShapedArray(float32[8,128])` in older versions. A long list is cut: `....`
    constexpr std::size_t most_shapes = 100;
    const std::string_view all = text_.text();
    for (std::size_t open = all.find('['); open != nowhere && target.shapes.size() < most_shapes;
         open = all.find('[', open)) {
        std::size_t begin = open;
        while (begin > 0 && (is_letter(all[begin - 1]) || is_digit(all[begin - 1]))) --begin;
        std::size_t end = open + 1;
        while (end < all.size() && (is_digit(all[end]) || all[end] == ',')) ++end;
        if (end == all.size() || all[end] != ']' || begin == open) break;
        target.shapes.emplace_back(all.substr(begin, end + 1 - begin));
        open = end;
        const std::string_view next = all.substr(end + 1, 3);
        if (!next.starts_with(", ") && !next.starts_with("),")) break;
    }
}

namespace {

/// Returns the outputs that share memory with arguments, by a stated total: what all parts together exceed it by.
/// Empty if a part is unknown.
std::optional<rounded_size> shared_of(const stated_usage& usage, const stated_output& output,
                                      const stated_requirement& requirement) {
    if (!usage.arguments || !output.size || !requirement.temporaries) return std::nullopt;
    rounded_size parts = sum(sum(*usage.arguments, *output.size), *requirement.temporaries);
    if (requirement.global) parts = sum(parts, *requirement.global);
    const byte_range excess = difference(parts, *usage.total);
    return excess.low == 0 ? rounded_size{} : rounded_size{excess.bytes, excess.low, excess.high};
}

}  // namespace

void message_parser::program_sizes(memory_message& target) {
    const auto first_of = [&](std::initializer_list<std::string_view> labels) -> std::optional<rounded_size> {
        for (const std::string_view label : labels)
            for (std::size_t at = text_.find(label); at != nowhere; at = text_.find(label, at)) {
                const std::size_t begin = at - label.size();
                if (begin == 0 || !is_letter(text_.text()[begin - 1])) {
                    if (!text_.text().substr(0, begin).ends_with("host_")) return size_at(at);
                }
            }
        return std::nullopt;
    };
    stated_usage usage;
    stated_output output;
    stated_requirement requirement;
    usage.arguments = first_of({"Graph input size:", "argument_size_in_bytes", "Input memory:", "Argument size:"});
    output.size = first_of({"Graph output size:", "output_size_in_bytes", "Output memory:", "Output size:"});
    output.shared = first_of({"Aliased Input size:", "alias_size_in_bytes"});
    requirement.temporaries =
        first_of({"Intermediate tensor size:", "temp_size_in_bytes", "Temp memory:", "Temp size:"});
    requirement.global = first_of({"Compiled program size:", "generated_code_size_in_bytes", "Code memory:"});
    usage.total = first_of({"Total HBM memory:", "Total memory size:"});
    if (!usage.total && usage.arguments && output.size && requirement.temporaries) {
        rounded_size total = sum(sum(*usage.arguments, *output.size), *requirement.temporaries);
        if (requirement.global) total = sum(total, *requirement.global);
        if (output.shared)
            total = rounded_size{less(total.bytes, output.shared->bytes), less(total.low, output.shared->high),
                                 less(total.high, output.shared->low)};
        usage.total = total;
    }
    if (!output.shared && usage.total) output.shared = shared_of(usage, output, requirement);
    target.usage = usage;
    target.output = output;
    target.requirement = requirement;
}

void message_parser::program_name(memory_message& target) {
    constexpr std::size_t longest = 1000;
    const std::size_t begin = text_.after_spaces(0);
    const std::string_view all = text_.text().substr(std::min(begin, text_.text().size()), longest);
    if (all.empty()) return;
    const bool is_quoted = all.front() == '\'' || all.front() == '"';
    const std::string_view name = all.substr(is_quoted ? 1 : 0);
    const std::size_t end = is_quoted ? name.find(all.front()) : name.find(':');
    if (end != nowhere && name.find('\n') > end) target.program = name.substr(0, end);
}

void message_parser::attempt(memory_message& target) {
    const std::string verb = word_at(0);
    if (verb != "allocate" && verb != "reserve") return;
    if (verb == "reserve") target.kind = message_kind::reservation;
    target.asked = size_at(verb.size());
    const std::size_t are = text_.find("There are ");
    target.free = size_at(are);
    if (are != nowhere && verb == "reserve") {
        const std::size_t comma = text_.find(" free, ", are);
        target.reserved = size_at(comma);
        if (comma != nowhere) target.reservable = size_after(" and ", comma);
    }
    target.largest = size_after("contiguous region of free memory is ");
    target.device = device();
    target.replicas = replicas();
}

void message_parser::old_buffer(memory_message& target) {
    target.asked = size_at(0);
    target.device = device();
    target.largest = size_after("; ");
    target.free = size_after(" allocatable, ");
    // This wording always names the longest piece: it matters only if enough is free.
    if (target.free && target.asked && target.free->bytes < target.asked->bytes) target.largest.reset();
}

void message_parser::early_abort(memory_message& target) {
    target.asked = size_after("Requires ");
    target.capacity = size_after(" has ");
}

void message_parser::cores(memory_message& target) {
    target.tensor_core = size_at(0);
    target.sparse_core = size_after("Hbm usage");
    target.capacity = size_after("available bytes");
    if (target.tensor_core && target.sparse_core) target.asked = sum(*target.tensor_core, *target.sparse_core);
}

void message_parser::excess(memory_message& target) {
    target.asked = size_at(0);
    target.capacity = size_after("memory (size=");
    const std::size_t space = text_.find("space=");
    if (space != nowhere) target.space = word_at(space);
    target.shape = quoted_after("shape =");
    target.owner = quoted_after("tag =");
}

void message_parser::usage(stated_usage& target) {
    target.total = size_at(0);
    usage_lines(target);
}

void message_parser::usage_lines(stated_usage& target) {
    target.reserved = size_of("reserved");
    target.program = size_of("program");
    target.arguments = size_of("arguments");
}

bool message_parser::is_stated() const {
    return !text_.size_text(0).empty() || text_.end_of("unknown", 0) != nowhere;
}

void message_parser::output(stated_output& target) {
    target.size = size_at(0);
    target.shared = size_after("shares ");
}

void message_parser::requirement(stated_requirement& target) {
    target.total = size_at(0);
    target.reserved = size_of("reserved");
    target.global = size_of("global");
    target.scoped = size_of("scoped");
    const std::size_t temporaries = text_.find("HLO temp ");
    if (temporaries == nowhere) return;
    target.temporaries = size_at(temporaries);
    message_parser rest{text_.text().substr(temporaries).substr(0, 200), bad_number_};
    target.unpadded = rest.size_after("Unpadded ");
    target.padded = rest.size_after("Padded ");
    target.fragmentation = rest.size_after("fragmentation ");
}

void message_parser::item(listed_allocation& target, std::uint64_t rank) {
    target.rank = rank;
    target.size = size_at(0);
    target.origin = line_after("Operator:");
    target.shape = line_after("Shape:");
    target.unpadded = size_after("Unpadded size:");
    target.padding = size_after("due to padding:");
    target.label = line_after("XLA label:");
    target.type = line_after("Allocation type:");
}

void message_parser::ledger(stated_ledger& target) {
    target.capacity = size_at(0);
    target.top_reserved = exact_after("reserved:");
    target.allocated = exact_after("allocated:");
    target.required = exact_after("requirement:");
    target.largest = size_after("free chunk ");
    // Exact if both are, because a load that does not fit leaves a negative rest, in exact bytes.
    const std::optional<rounded_size> missing = exact_after("after request:", true);
    if (target.required && missing && target.required->is_exact() && missing->is_exact() &&
        missing->bytes <= target.required->bytes) {
        target.free = exactly(target.required->bytes - missing->bytes);
    }
}

void message_parser::persistent(stated_ledger& target) {
    target.arguments = size_of("arguments");
    target.outputs = size_of("output");
}

void message_parser::program_fits(stated_statistics& target) {
    target.program = size_at(0);
    target.limit = size_after("/");
}

void message_parser::statistics(stated_statistics& target) {
    target.in_use = size_at(0);
    target.limit = size_after("bytes_limit");
    target.peak = size_after("peak_bytes_in_use");
    target.largest = size_after("largest_free_block_bytes");
    target.reserved = size_after("bytes_reserved");
}

std::optional<rounded_size> message_parser::size_at(std::size_t at) {
    if (at == nowhere) return std::nullopt;
    const std::string_view digits = text_.size_text(at);
    if (digits.empty()) return std::nullopt;
    std::string plain(digits);
    std::erase(plain, ',');
    const std::optional<rounded_size> read = read_rounded_size(plain);
    const bool is_wrong = !read || is_cut(digits);
    if (is_wrong && bad_number_ == nullptr) bad_number_ = digits.data();
    return is_wrong ? std::nullopt : read;
}

bool message_parser::is_cut(std::string_view digits) const {
    const std::size_t end = text_.offset_of(digits) + digits.size();
    const std::string_view rest = text_.text().substr(end);
    if (digits.size() > 4 || !is_digit(digits.back())) return false;
    const std::string_view next = rest.substr(rest.starts_with(".\n") ? 1 : 0);
    if (next.size() > 1 && next[0] == '\n' && (next[1] == '.' || is_digit(next[1]))) return of_message_;
    return ends_text_ && text_.after_spaces(end + (rest.starts_with('.') ? 1 : 0)) == text_.text().size();
}

std::optional<rounded_size> message_parser::size_after(std::string_view words, std::size_t from) {
    return size_at(text_.find(words, from));
}

std::optional<rounded_size> message_parser::size_of(std::string_view word) {
    for (std::size_t end = text_.find_word(word); end != nowhere; end = text_.find_word(word, end)) {
        const std::size_t value = text_.after_spaces(end);
        if (value == end || value == text_.text().size()) continue;
        if (is_digit(text_.text()[value])) return size_at(value);
        if (text_.end_of("unknown", value) != nowhere) return std::nullopt;
    }
    return std::nullopt;
}

std::optional<rounded_size> message_parser::exact_after(std::string_view label, bool is_negative) {
    const std::size_t at = text_.find(label);
    if (at == nowhere) return std::nullopt;
    if (text_.text().substr(text_.after_spaces(at)).starts_with('-') != is_negative) return std::nullopt;
    const std::string_view line = text_.rest_of_line(at);
    std::string digits;
    if (const std::size_t open = line.find('('); open != nowhere)
        for (const char letter : line.substr(open, line.find(')', open) - open))
            if (is_digit(letter)) digits += letter;
    const std::optional<rounded_size> exact = read_rounded_size(digits);
    return exact ? exact : size_at(at);
}

std::string message_parser::word_at(std::size_t at) const {
    at = text_.after_spaces(at);
    std::size_t end = at;
    const std::string_view all = text_.text();
    while (end < all.size() && end - at < 40 && (is_letter(all[end]) || is_digit(all[end]))) ++end;
    return std::string(all.substr(std::min(at, all.size()), end - at));
}

std::string message_parser::name_at(std::size_t at) const {
    at = text_.after_spaces(at);
    const std::string_view rest = text_.text().substr(std::min(at, text_.text().size()));
    std::size_t end = std::min(rest.find_first_of(" \n\t,;'\")"), rest.size());
    while (end > 0 && rest[end - 1] == '.') --end;
    return std::string(rest.substr(0, end));
}

std::string message_parser::quoted_after(std::string_view words) const {
    const std::size_t at = text_.find(words);
    if (at == nowhere) return {};
    const std::string_view rest = text_.rest_of_line(at);
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"')) return {};
    const std::size_t end = rest.find(rest.front(), 1);
    return std::string(rest.substr(1, end == nowhere ? end : end - 1));
}

std::string message_parser::line_after(std::string_view field) const {
    const std::size_t at = text_.find(field);
    if (at == nowhere) return {};
    std::string_view value = text_.rest_of_line(at);
    for (const std::string_view next : {" Operator: ", " Shape: ", " Unpadded size: ", " Extra memory due to ",
                                        " XLA label: ", " Allocation type: ", " ====="})
        value = value.substr(0, value.find(next));
    while (!value.empty() && window::is_space(value.back())) value.remove_suffix(1);
    return std::string(value);
}

std::string message_parser::device() const {
    const std::string_view all = text_.text();
    std::size_t end = all.find("_HBM");
    if (end == nowhere) return {};
    std::size_t begin = end;
    while (begin > 0 && end - begin < 30 && (is_digit(all[begin - 1]) || all[begin - 1] == 'x')) --begin;
    end += 4;
    while (end < all.size() && end - begin < 40 && is_digit(all[end])) ++end;
    return std::string(all.substr(begin, end - begin));
}

std::string message_parser::replicas() const {
    const std::size_t at = text_.find("while running ");
    if (at == nowhere) return {};
    const std::string_view rest = text_.rest_of_line(at);
    const std::size_t end = rest.find(" of a ");
    return end == nowhere || end > 60 ? std::string{} : std::string(rest.substr(0, end));
}

std::vector<key_place> find_key_words(std::string_view text) {
    std::vector<key_place> places;
    const window all{text};
    for (const key_words& entry : all_key_words) {
        const std::string_view first = entry.words.substr(0, entry.words.find(' '));
        for (std::size_t at = text.find(first); at != window::nowhere; at = text.find(first, at + 1)) {
            const std::size_t end = all.end_of(entry.words, at);
            if (end == window::nowhere) continue;
            if (entry.part == message_part::item) {
                std::size_t before = at;
                while (before > 0 && window::is_space(text[before - 1])) --before;
                if (before < 2 || text[before - 1] != '.' || !is_digit(text[before - 2])) continue;
            }
            // Not `peak_bytes_in_use` and `host_argument_size_in_bytes`.
            if (at > 0 && text[at - 1] == '_') continue;
            places.push_back({at, end, entry.part});
        }
    }
    std::sort(places.begin(), places.end(), [](const key_place& a, const key_place& b) { return a.begin < b.begin; });
    return places;
}

namespace {

/// Returns `jit_step` of `op_name="jit(step)/jit(main)/dot_general"`, the name of the module. Empty if it does not
/// begin with a function that JAX compiled.
std::string program_of_operation(std::string_view origin) {
    const std::size_t at = origin.find("op_name=\"");
    if (at == std::string_view::npos) return {};
    const std::string_view name = origin.substr(at + 9);
    for (const std::string_view call : {"jit(", "pjit(", "pmap("}) {
        if (!name.starts_with(call)) continue;
        const std::size_t end = name.find(")/");
        if (end == std::string_view::npos) return {};
        return std::string(call.substr(0, call.size() - 1)) + '_' +
               std::string(name.substr(call.size(), end - call.size()));
    }
    return {};
}

/// Returns the letters and digits of a name, without the number behind `jit_step.12`: others are replaced in modules.
std::string plain_name(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    if (end != std::string_view::npos && end + 1 < name.size() && name[end] == '.') name = name.substr(0, end);
    std::string plain;
    for (const char letter : name)
        if (is_digit(letter) || is_letter(letter)) plain += letter;
    return plain;
}

}  // namespace

std::vector<std::string> program_names(const memory_message& from) {
    if (!from.program.empty()) return {from.program};
    std::vector<std::string> names;
    for (const listed_allocation& entry : from.listed) {
        std::string name = program_of_operation(entry.origin);
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

bool is_called(std::string_view module, std::string_view program) {
    return plain_name(module) == plain_name(program);
}

}  // namespace hbm::imported
