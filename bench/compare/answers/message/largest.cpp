#include "compare/answers/message/largest.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "compare/answers/message/remedy_parts.hpp"
#include "compare/answers/message/remedy_texts.hpp"
#include "compare/answers/message/texts.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace texts = remedy_texts;

namespace {

std::string source_of(std::string_view origin) {
    std::string_view file = quoted_field(origin, "source_file=\"");
    if (file.empty()) return {};
    if (const std::size_t slash = file.find_last_of('/'); slash != std::string_view::npos)
        file.remove_prefix(slash + 1);
    constexpr std::string_view field = "source_line=";
    const std::size_t at = origin.find(field);
    if (at == std::string_view::npos) return std::string(file);
    const std::string_view line = origin.substr(at + field.size());
    return std::string(file) + ":" + std::string(line.substr(0, line.find_first_not_of("0123456789")));
}

std::uint64_t bytes_of(const allocation_group& group) {
    return group.first->size ? group.first->size->bytes * group.count : 0;
}

/// Returns the name of the operation; without it, the compiler's label: `%fusion.4 = bf16[..` is `fusion.4`.
std::string operation_or_label(const listed_allocation& entry) {
    std::string operation = operation_of(entry);
    if (!operation.empty() || entry.label.empty()) return operation;
    std::string_view label = entry.label;
    label = label.substr(0, label.find(" = "));
    if (label.starts_with('%')) label.remove_prefix(1);
    constexpr std::size_t longest = 48;
    return std::string(label.substr(0, longest));
}

const texts::framework_program* find_framework_program(std::string_view name) {
    for (const texts::framework_program& program : texts::framework_programs)
        if (program.name == name) return &program;
    return nullptr;
}

}  // namespace

std::vector<allocation_group> largest_groups(const memory_message& from) {
    std::vector<allocation_group> groups;
    for (const listed_allocation& entry : from.listed) {
        allocation_group next{1, &entry, operation_or_label(entry), source_of(entry.origin)};
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const allocation_group& other) {
            return other.first->size == entry.size && other.first->shape == entry.shape &&
                   other.operation == next.operation && other.source == next.source;
        });
        if (group != groups.end())
            ++group->count;
        else
            groups.push_back(std::move(next));
    }
    std::sort(groups.begin(), groups.end(), [](const allocation_group& a, const allocation_group& b) {
        return bytes_of(a) != bytes_of(b) ? bytes_of(a) > bytes_of(b) : a.first < b.first;
    });
    return groups;
}

std::string largest_in_words(const memory_message& from) {
    constexpr std::size_t most = 5;
    const std::vector<allocation_group> groups = largest_groups(from);
    std::string text;
    for (std::size_t at = 0; at < std::min(most, groups.size()); ++at) {
        const allocation_group& group = groups[at];
        const std::string size =
            group.first->size       ? in_words(*group.first->size)
            : group.first->unpadded ? filled(message_texts::size_unpadded, {{"size", in_words(*group.first->unpadded)}})
                                    : std::string(message_texts::size_unknown);
        std::string line = (group.count > 1 ? grouped_digits(group.count) + " x " : "") + size;
        for (const std::string& part :
             {without_layout(group.first->shape), group.source, group.operation, group.first->type})
            if (!part.empty()) line += ", " + part;
        text += wrapped(line, "  ");
    }
    if (text.empty()) return {};
    if (groups.size() > most)
        text += filled(message_texts::more_groups, {{"groups", counted(groups.size() - most, "smaller group")}});
    return std::string(message_texts::largest) + text;
}

std::string known_program(const std::string& name) {
    const texts::framework_program* const program = find_framework_program(name);
    if (program == nullptr) return {};
    return filled(texts::program_of_framework, {{"name", name}, {"call", std::string(program->call)}});
}

std::string remedy_of_known_program(const std::string& name) {
    const texts::framework_program* const program = find_framework_program(name);
    return program == nullptr ? std::string{} : std::string(program->remedy);
}

}  // namespace hbm::imported
