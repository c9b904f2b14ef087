#include "compare/read/xla/program_files.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "compare/read/read_error.hpp"

namespace hbm::imported {

namespace {

/// Returns the stem without the platform.
std::string_view without_platform(std::string_view stem) noexcept {
    if (!stem.ends_with("cpu_") && !stem.ends_with("gpu_")) return stem;
    stem.remove_suffix(4);
    const std::size_t version = stem.rfind(".sm_");
    if (version == std::string_view::npos || !stem.ends_with('_')) return stem;
    if (stem.find_first_not_of("0123456789.", version + 4) != stem.size() - 1) return stem;
    return stem.substr(0, version + 1);
}

/// Returns the preference of a module: scheduled ones are best, those with the shapes of whole arrays worst.
int rank(const hlo_module& subject) noexcept {
    return subject.has_whole_arrays ? 0 : subject.is_scheduled ? 3 : subject.is_tiled ? 2 : 1;
}

template <class Value>
void keep(from_file<Value> read, std::optional<from_file<Value>>& where, const char* what) {
    if (where)
        throw trace::read_error(read.file, std::string("a second ") + what,
                                "one for each program; the first is " + where->file);
    where = std::move(read);
}

}  // namespace

std::optional<dump_name> read_dump_name(std::string_view name) noexcept {
    constexpr std::array<std::pair<std::string_view, dump_part>, 5> ends{{
        {"after_optimizations-buffer-assignment.txt", dump_part::assignment},
        {"after_optimizations.txt", dump_part::optimized},
        {"after_optimizations_after_buffer_assignment.txt", dump_part::optimized},
        {"after_optimizations_before_buffer_assignment.txt", dump_part::before_assignment},
        {"before_optimizations.txt", dump_part::unoptimized},
    }};
    if (name.ends_with(".gz")) name.remove_suffix(3);
    for (const auto& [end, part] : ends) {
        if (!name.ends_with(end)) continue;
        const std::string_view stem = without_platform(name.substr(0, name.size() - end.size()));
        return stem.empty() ? std::nullopt : std::optional(dump_name{stem, part});
    }
    return std::nullopt;
}

std::string_view program_name(std::string_view stem) noexcept {
    if (stem.starts_with("module_")) stem.remove_prefix(stem.find('.') + 1);  // 0 without a point
    if (const std::size_t build = stem.rfind(".cl_"); build != std::string_view::npos) stem = stem.substr(0, build);
    while (stem.ends_with('.')) stem.remove_suffix(1);
    return stem;
}

bool program_files::has_module() const {
    if (!module) return false;
    const auto has_share = [](const program_array& entry) { return entry.share_bytes.has_value(); };
    const std::vector<program_array>& arguments = module->value.arguments;
    return !module->value.has_whole_arrays || std::any_of(arguments.begin(), arguments.end(), has_share);
}

void add_file(program_files& target, file_kind kind, std::string_view text, const std::string& file) {
    if (kind == file_kind::assignment)
        return keep({read_assignment(text, file), file}, target.assignment, "buffer assignment");
    if (kind != file_kind::module)
        throw trace::read_error(file, std::string(kind_in_words(kind)),
                                "a file of an XLA dump: a buffer assignment or a module");
    from_file<hlo_module> read{read_module(text, file), file};
    if (!target.module) {
        target.module = std::move(read);
        return;
    }
    if (rank(read.value) > rank(target.module->value)) std::swap(read, *target.module);
    keep(std::move(read), target.unoptimized, "module next to another");
}

}  // namespace hbm::imported
