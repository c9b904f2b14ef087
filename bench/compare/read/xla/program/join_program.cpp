#include "compare/read/xla/program/join_program.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/program/program.hpp"
#include "compare/read/xla/program/texts.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

namespace texts = program_texts;

namespace {

/// Joiner of the files of a program.
class program_joiner {
public:
    /// Constructs a joiner of these files, which must outlive it.
    explicit program_joiner(const program_files& from) : from_(&from) {}

    /// Returns the program. Cost: O((arguments + outputs + allocations) x log).
    /// Fails: if no file states the memory of one device; the error explains it.
    reading<imported_program> join() {
        if (from_->module) made_.name = from_->module->value.name;
        if (from_->has_assignment()) {
            take_assignment();
        } else if (from_->has_module()) {
            take_module();
        } else if (const auto problem = refuse()) {
            return *problem;
        }
        take_rest();
        add_labels(*from_, made_);
        add_temporaries(*from_, made_);
        name_donation_file(*from_, made_);
        add_disagreements(*from_, made_);
        list_unknown();
        return std::move(made_);
    }

private:
    using array_name = std::pair<std::uint64_t, index_path>;

    std::optional<trace::read_error> refuse() const {
        const std::string expected =
            "what one device needs: the *after_optimizations-buffer-assignment.txt of the same "
            "program, or its *after_optimizations.txt";
        if (from_->module)
            return trace::read_error{from_->module->file, 0, 0,
                                     "whole arrays that " + std::to_string(from_->module->value.num_partitions) +
                                         " devices share, without the share of each",
                                     expected};
        if (!from_->assignment) return trace::read_error{"", 0, 0, "no file of a program", expected};
        const std::string& file = from_->assignment->file;
        const std::size_t line = from_->assignment->value.cut_line;
        return trace::read_error{file, line == not_cut ? 0 : line, line == not_cut ? 0U : 1U,
                                 "the end of a file that was cut among its allocations",
                                 "all of it, or another file of the same program"};
    }

    // The assignment.

    void take_assignment() {
        const assignment& from = from_->assignment->value;
        add_arguments(from.allocations);
        if (from.has_all_outputs) {
            for (const assigned_output& entry : from.outputs) {
                const allocation& holder = from.allocations[entry.allocation];
                if (holder.color != hbm_color) continue;
                std::optional<std::size_t> argument;
                if (entry.parameter) argument = find_argument(*entry.parameter, entry.parameter_index);
                made_.outputs.push_back({entry.index, exactly(entry.bytes), {}, entry.shape, argument});
            }
            made_.knows_outputs = true;
        } else if (from_->has_module()) {
            take_module_outputs();
        } else {
            take_live_out(from.allocations);
        }
        add_unpadded();
    }

    /// Adds parameters in order. Positions in `made_.arguments` are those of `names_`.
    void add_arguments(const std::vector<allocation>& allocations) {
        std::vector<const allocation*> parameters;
        for (const allocation& entry : allocations)
            if (entry.parameter && entry.color == hbm_color) parameters.push_back(&entry);
        std::sort(parameters.begin(), parameters.end(), [](const allocation* left, const allocation* right) {
            return std::tie(left->parameter, left->index) < std::tie(right->parameter, right->index);
        });
        for (const allocation* entry : parameters) {
            names_.emplace(array_name{*entry->parameter, entry->index}, made_.arguments.size());
            made_.arguments.push_back({*entry->parameter, entry->index, entry->size, {}, entry->shape});
        }
        made_.knows_arguments = true;
    }

    [[nodiscard]] std::optional<std::size_t> find_argument(std::uint64_t parameter, const index_path& index) const {
        const auto match = names_.find({parameter, index});
        return match == names_.end() ? std::nullopt : std::optional(match->second);
    }

    /// Takes outputs without their index: allocations that are live at the end, apart from the table of the result.
    void take_live_out(const std::vector<allocation>& from) {
        std::uint64_t count = 0;
        for (const allocation& entry : from) {
            if (!entry.is_live_out || entry.color != hbm_color) continue;
            if (entry.has_result && entry.shape.starts_with('(')) continue;
            std::optional<std::size_t> argument;
            if (entry.parameter) argument = find_argument(*entry.parameter, entry.index);
            program_output result{{count++}, entry.size, {}, entry.shape, argument};
            if (argument) result.size = made_.arguments[*argument].size;
            made_.outputs.push_back(std::move(result));
        }
        made_.knows_outputs = true;
        made_.knows_output_indices = made_.outputs.empty() || (count == 1 && made_.outputs[0].size.is_exact());
    }

    /// Sets the unpadded sizes from the elements.
    void add_unpadded() {
        const auto fill = [](auto& all) {
            for (auto& entry : all)
                if (const auto shape = read_array_shape(entry.shape)) entry.unpadded_bytes = unpadded_bytes(*shape);
        };
        fill(made_.arguments);
        fill(made_.outputs);
    }

    // The module.

    void take_module() {
        const hlo_module& from = from_->module->value;
        std::size_t on_host = 0;
        for (const program_array& entry : from.arguments) {
            if (!entry.in_device_memory()) {
                ++on_host;
                continue;
            }
            names_.emplace(array_name{entry.parameter, entry.index}, made_.arguments.size());
            made_.arguments.push_back(
                {entry.parameter, entry.index, size_in(from, entry), unpadded_of(from, entry), entry.text});
        }
        note_bounds(from);
        made_.knows_arguments = true;
        if (on_host != 0)
            made_.notes.push_back(filled(on_host == 1 ? texts::argument_on_host : texts::arguments_on_host,
                                         {{"count", grouped_digits(on_host)}}));
        take_module_outputs();
        for (const std::size_t donor : from.donors)
            if (const auto at = find_argument(from.arguments[donor].parameter, from.arguments[donor].index))
                made_.donors.push_back(*at);
        if (!from.others.empty())
            made_.notes.push_back(filled(texts::first_module, {{"file", short_name(from_->module->file)},
                                                               {"modules", counted(from.others.size() + 1, "module")},
                                                               {"module", from.name},
                                                               {"next", from.others.front()}}));
        if (from.has_whole_arrays)
            made_.notes.push_back(filled(texts::whole_arrays, {{"file", short_name(from_->module->file)},
                                                               {"devices", counted(from.num_partitions, "device")}}));
        if (!from.is_scheduled && !from.is_tiled)
            made_.notes.push_back(filled(texts::without_tiles, {{"file", short_name(from_->module->file)}}));
    }

    static std::optional<std::uint64_t> unpadded_of(const hlo_module& module, const program_array& array) {
        if (!module.has_whole_arrays) return array.unpadded_bytes;
        return array.share ? unpadded_bytes(*array.share) : std::nullopt;
    }

    /// Returns the size of an array on one device. Without a sharding it is at least an equal share, and at most the
    /// whole array, which counts.
    static rounded_size size_in(const hlo_module& module, const program_array& array) {
        if (!module.has_whole_arrays) return exactly(array.bytes);
        if (array.share_bytes) return exactly(*array.share_bytes);
        return {array.bytes, array.bytes / module.num_partitions, array.bytes};
    }

    /// Returns for each output whose share is not stated a donor of its shape, whose share it then has: JAX pairs
    /// donors and outputs by shape. Empty for others.
    static std::vector<std::optional<std::size_t>> donors_of_outputs(const hlo_module& from) {
        std::vector<std::optional<std::size_t>> donors(from.outputs.size());
        if (!from.has_whole_arrays) return donors;
        std::map<std::string, std::vector<std::size_t>> free;  // by shape; the first donor is the last
        for (std::size_t at = from.donors.size(); at != 0; --at) {
            const program_array& donor = from.arguments[from.donors[at - 1]];
            if (donor.share_bytes) free[without_layouts(donor.text)].push_back(from.donors[at - 1]);
        }
        for (std::size_t at = 0; at < from.outputs.size(); ++at) {
            if (from.outputs[at].share_bytes) continue;
            const auto donor = free.find(without_layouts(from.outputs[at].text));
            if (donor == free.end() || donor->second.empty()) continue;
            donors[at] = donor->second.back();
            donor->second.pop_back();
        }
        return donors;
    }

    /// Names the arguments whose share the module does not state.
    void note_bounds(const hlo_module& from) {
        if (!from.has_whole_arrays) return;
        constexpr std::size_t most = 3;
        std::vector<std::string> names;
        std::uint64_t bytes = 0;
        for (const program_array& array : from.arguments) {
            if (!array.in_device_memory() || array.share_bytes) continue;
            bytes = saturating_add(bytes, array.bytes);
            names.push_back(
                filled(texts::argument[array.label.empty() ? 0 : 1],
                       {{"number", array.parameter}, {"shape", without_layouts(array.text)}, {"label", array.label}}));
        }
        if (names.empty()) return;
        if (names.size() > most) {
            const std::size_t others = names.size() - most;
            names.resize(most);
            names.push_back(counted(others, "other"));
        }
        made_.notes.push_back(filled(texts::unknown_sharding, {{"arguments", list_in_words(names)},
                                                               {"least", size_in_words(bytes / from.num_partitions)},
                                                               {"most", size_in_words(bytes)}}));
    }

    void take_module_outputs() {
        const hlo_module& from = from_->module->value;
        std::vector<std::optional<std::size_t>> taken(from.outputs.size());
        for (const program_alias& entry : from.aliases) {
            const program_array& argument = from.arguments[entry.argument];
            taken[entry.output] = find_argument(argument.parameter, argument.index);
        }
        const std::vector<std::optional<std::size_t>> donors = donors_of_outputs(from);
        bool is_any_known = from.outputs.empty() || !from.has_whole_arrays;
        for (std::size_t at = 0; at < from.outputs.size(); ++at)
            is_any_known = is_any_known || from.outputs[at].share_bytes || donors[at];
        if (!is_any_known) return;
        for (std::size_t at = 0; at < from.outputs.size(); ++at) {
            const program_array& entry = from.outputs[at];
            if (!entry.in_device_memory()) continue;
            const program_array& like = donors[at] ? from.arguments[*donors[at]] : entry;
            made_.outputs.push_back({entry.index, size_in(from, like), unpadded_of(from, like), entry.text, taken[at]});
        }
        made_.knows_outputs = true;
    }

    // All of them.

    /// Takes temporaries and constants, which only an assignment has.
    void take_rest() {
        if (!from_->has_assignment()) return;
        const memory_classes sums = classify(from_->assignment->value.allocations);
        made_.temporary = sums.temporary;
        made_.constant = sums.constant;
        std::uint64_t on_host = 0;
        for (const auto& [color, size] : sums.other_spaces)
            if (color == host_memory_space) on_host = size.bytes;
        if (on_host != 0)
            made_.notes.push_back(filled(texts::allocations_on_host, {{"bytes", size_in_words(on_host)}}));
    }

    void list_unknown() {
        const std::string dump(texts::bring_assignment);
        if (!made_.knows_outputs) made_.unknown.push_back({"outputs", dump});
        if (!made_.temporary) made_.unknown.push_back({"temporaries and constants", dump});
        made_.unknown.push_back({"code", std::string(texts::print_code)});
    }

    const program_files* from_;
    imported_program made_;
    std::map<array_name, std::size_t> names_;  // positions in `made_.arguments`
};

}  // namespace

reading<imported_program> join_program(const program_files& from) {
    return program_joiner(from).join();
}

namespace {

/// A size and the file that states it.
struct stated_size {
    rounded_size size;
    std::string_view file;
};

/// Notes it if no size can be meant by both. The first counts.
void check(imported_program& program, std::string_view what, const stated_size& used, const stated_size& other) {
    if (used.size.low <= other.size.high && other.size.low <= used.size.high) return;
    program.notes.push_back(filled(texts::disagreement, {{"what", std::string(what)},
                                                         {"used", grouped_digits(used.size.bytes)},
                                                         {"used_file", short_name(used.file)},
                                                         {"other", grouped_digits(other.size.bytes)},
                                                         {"other_file", short_name(other.file)}}));
}

/// Compares arguments and outputs with those of the module; differences become notes.
void check_module(imported_program& program, const program_files& files) {
    const module_sums stated = sums_of(files.module->value);
    const program_sums match = sums_of(program);
    const auto compare = [&](std::string_view what, const rounded_size& left, std::uint64_t right) {
        check(program, what, {left, files.assignment->file}, {exactly(right), files.module->file});
    };
    compare("arguments", match.arguments, stated.arguments);
    if (!program.knows_outputs) return;
    compare("outputs", match.outputs, stated.outputs);
    compare("outputs in place of arguments", match.aliases, stated.aliases);
}

}  // namespace

void add_disagreements(const program_files& files, imported_program& program) {
    const bool is_compiled = files.module && !files.module->value.has_whole_arrays &&
                             (files.module->value.is_scheduled || files.module->value.is_tiled);
    if (is_compiled && files.has_assignment()) check_module(program, files);
}

}  // namespace hbm::imported::xla
