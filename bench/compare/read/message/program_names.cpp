#include "compare/read/message/program_names.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hbm::imported {

namespace {

/// `jit_step` of `op_name="jit(step)/jit(main)/dot_general"`, as the module is called; empty if it does not begin with
/// a function that JAX compiled.
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

/// Letters and digits of a name, without the number behind `jit_step.12`: others are replaced in modules.
std::string plain_name(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    if (end != std::string_view::npos && end + 1 < name.size() && name[end] == '.') name = name.substr(0, end);
    std::string plain;
    for (const char each : name)
        if ((each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z')) plain += each;
    return plain;
}

}  // namespace

std::vector<std::string> program_names(const memory_message& from) {
    if (!from.program.empty()) return {from.program};
    std::vector<std::string> names;
    for (const listed_allocation& each : from.listed) {
        std::string name = program_of_operation(each.origin);
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

bool is_called(std::string_view module, std::string_view program) {
    return plain_name(module) == plain_name(program);
}

}  // namespace hbm::imported
