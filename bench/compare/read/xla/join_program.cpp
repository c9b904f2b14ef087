#include <hbm/core/bytes.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/read/xla/program.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

std::string short_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

/// Returns the bytes of an array on one device. Without a sharding they are at least an equal share, and at most the
/// whole array, which counts.
rounded_size size_in(const hlo_module& module, const program_array& array) {
    if (!module.has_whole_arrays) return exactly(array.bytes);
    if (array.share_bytes) return exactly(*array.share_bytes);
    return {array.bytes, array.bytes / module.num_partitions, array.bytes};
}

std::optional<std::uint64_t> unpadded_in(const hlo_module& module, const program_array& array) {
    if (!module.has_whole_arrays) return array.unpadded_bytes;
    return array.share ? unpadded_bytes(*array.share) : std::nullopt;
}

std::optional<std::uint64_t> unpadded_of(const std::string& shape) {
    const std::optional<array_shape> array = read_array_shape(shape);
    return array ? unpadded_bytes(*array) : std::nullopt;
}

/// Returns for each output of whole arrays whose share is not stated a donor of its shape, whose share it then has: JAX
/// pairs donors and outputs by shape. For others the output itself.
std::vector<const program_array*> arrays_with_shares(const hlo_module& from) {
    std::map<std::string, std::vector<const program_array*>> free;  // by shape; the first donor is the last
    for (std::size_t at = from.donors.size(); at != 0; --at)
        if (const program_array& donor = from.arguments[from.donors[at - 1]]; donor.share_bytes)
            free[without_layouts(donor.text)].push_back(&donor);
    std::vector<const program_array*> arrays;
    for (const program_array& output : from.outputs) {
        arrays.push_back(&output);
        if (!from.has_whole_arrays || output.share_bytes) continue;
        const auto donors = free.find(without_layouts(output.text));
        if (donors == free.end() || donors->second.empty()) continue;
        arrays.back() = donors->second.back();
        donors->second.pop_back();
    }
    return arrays;
}

/// Joiner of the files of a program.
class program_joiner {
public:
    /// Constructs a joiner of these files, which must outlive it.
    explicit program_joiner(const program_files& from) : from_(from) {}

    imported_program join() {
        if (from_.module) made_.name = from_.module->value.name;
        if (from_.has_assignment())
            take_assignment(from_.assignment->value);
        else if (from_.has_module())
            take_module(*from_.module);
        else
            refuse();
        for (const auto* module : {&from_.module, &from_.unoptimized})
            if (*module) add_labels((*module)->value);
        list_unknown();
        return std::move(made_);
    }

private:
    [[noreturn]] void refuse() const {
        const char* const expected =
            "what one device needs: the *after_optimizations-buffer-assignment.txt of the same "
            "program, or its *after_optimizations.txt";
        if (from_.module)
            throw trace::read_error(from_.module->file,
                                    "whole arrays that " + trace::decimal(from_.module->value.num_partitions) +
                                        " devices share, without the share of each",
                                    expected);
        if (!from_.assignment) throw trace::read_error("", "no file of a program", expected);
        const std::size_t line = from_.assignment->value.cut_line;
        throw trace::read_error(from_.assignment->file, line == not_cut ? 0 : line, line == not_cut ? 0U : 1U,
                                "the end of a file that was cut among its allocations",
                                "all of it, or another file of the same program");
    }

    void add_argument(program_argument argument) {
        names_.emplace(std::pair{argument.parameter, argument.index}, made_.arguments.size());
        made_.arguments.push_back(std::move(argument));
    }

    [[nodiscard]] std::optional<std::size_t> find_argument(std::uint64_t parameter, const index_path& index) const {
        const auto match = names_.find({parameter, index});
        return match == names_.end() ? std::nullopt : std::optional(match->second);
    }

    void take_assignment(const assignment& from) {
        std::map<std::pair<std::uint64_t, index_path>, const allocation*> parameters;
        for (const allocation& entry : from.allocations)
            if (entry.parameter && entry.in_hbm()) parameters.emplace(std::pair{*entry.parameter, entry.index}, &entry);
        for (const auto& [name, entry] : parameters)
            add_argument({name.first, name.second, exactly(entry->bytes), unpadded_of(entry->shape), entry->shape});
        made_.knows_outputs = true;
        if (from.has_all_outputs) {
            for (const assigned_output& entry : from.outputs)
                if (from.allocations[entry.allocation].in_hbm())
                    add_output(entry.index, entry.bytes, entry.shape, entry.parameter, entry.parameter_index);
        } else if (from_.has_module()) {
            take_module_outputs(from_.module->value);
        } else {
            take_live_out(from);
        }
        const memory_classes sums = classify(from.allocations);
        made_.temporary = exactly(sums.temporary);
        made_.constant = exactly(sums.constant);
        if (const auto host = sums.other_spaces.find(host_memory_space); host != sums.other_spaces.end())
            if (host->second != 0)
                made_.notes.push_back(size_in_words(host->second) +
                                      " of allocations in the memory of the host are left out");
        add_temporaries(from);
        if (from.has_all_outputs) made_.donation_file = from_.assignment->file;
        if (!from_.module) return;
        made_.donation_file = from_.module->file;
        compare_with(from_.module->value);
    }

    void add_output(index_path index, std::uint64_t bytes, const std::string& shape,
                    const std::optional<std::uint64_t>& parameter, const index_path& parameter_index) {
        std::optional<std::size_t> argument;
        if (parameter) argument = find_argument(*parameter, parameter_index);
        made_.outputs.push_back({std::move(index), exactly(bytes), unpadded_of(shape), shape, argument});
    }

    /// Takes outputs without their index: allocations that are live at the end, apart from the table of the result.
    void take_live_out(const assignment& from) {
        for (const allocation& entry : from.allocations)
            if (entry.is_live_out && entry.in_hbm() && !entry.is_result_table())
                add_output({made_.outputs.size()}, entry.bytes, entry.shape, entry.parameter, entry.index);
        made_.knows_output_indices = made_.outputs.size() <= 1;
    }

    /// Notes if the totals of a compiled module are others than those of the assignment, which count.
    void compare_with(const hlo_module& module) {
        if (module.has_whole_arrays || (!module.is_scheduled && !module.is_tiled)) return;
        const module_sums stated = sums_of(module);
        const program_sums used = sums_of(made_);
        const auto compare = [&](const char* what, std::uint64_t one, std::uint64_t other) {
            if (one == other) return;
            made_.notes.push_back(std::string("the files disagree on the bytes of ") + what + ": " +
                                  grouped_digits(one) + " in " + short_name(from_.assignment->file) +
                                  ", which counts, and " + grouped_digits(other) + " in " +
                                  short_name(from_.module->file) + "; are they of the same program and build?");
        };
        compare("arguments", used.arguments.bytes, stated.arguments);
        compare("outputs", used.outputs.bytes, stated.outputs);
        compare("outputs in place of arguments", used.aliases.bytes, stated.aliases);
    }

    void take_module(const from_file<hlo_module>& source) {
        const hlo_module& from = source.value;
        const std::string file = short_name(source.file);
        made_.donation_file = source.file;
        std::size_t on_host = 0;
        for (const program_array& entry : from.arguments) {
            if (entry.in_device_memory())
                add_argument(
                    {entry.parameter, entry.index, size_in(from, entry), unpadded_in(from, entry), entry.text});
            else
                ++on_host;
        }
        if (from.has_whole_arrays) note_bounds(from);
        if (on_host != 0)
            made_.notes.push_back(counted(on_host, "argument") + " in the memory of the host " +
                                  (on_host == 1 ? "is" : "are") + " left out");
        take_module_outputs(from);
        for (const std::size_t donor : from.donors)
            if (const auto at = find_argument(from.arguments[donor].parameter, from.arguments[donor].index))
                made_.donors.push_back(*at);
        if (!from.others.empty())
            made_.notes.push_back(file + " holds " + counted(from.others.size() + 1, "module") +
                                  "; this is the first, " + from.name + ". The next is " + from.others.front() +
                                  ": bring each in a file of its own");
        if (from.has_whole_arrays)
            made_.notes.push_back(file + " has the shapes of whole arrays, which " +
                                  counted(from.num_partitions, "device") +
                                  " share; each was divided by the sharding that its instruction states");
        if (!from.is_scheduled && !from.is_tiled)
            made_.notes.push_back(file + " is not optimized and has no tiles: a TPU may pad its arrays to more bytes");
    }

    /// Names the arguments whose share the module does not state.
    void note_bounds(const hlo_module& from) {
        constexpr std::size_t most = 3;
        std::vector<std::string> names;
        std::uint64_t bytes = 0;
        for (const program_array& array : from.arguments) {
            if (!array.in_device_memory() || array.share_bytes) continue;
            bytes = saturating_add(bytes, array.bytes);
            names.push_back("argument " + trace::decimal(array.parameter) + " (" + without_layouts(array.text) +
                            (array.label.empty() ? "" : ", " + array.label) + ")");
        }
        if (names.empty()) return;
        if (names.size() > most) {
            const std::size_t others = names.size() - most;
            names.resize(most);
            names.push_back(counted(others, "other"));
        }
        made_.notes.push_back("the sharding of " + list_in_words(names) + " is not stated: one device holds " +
                              size_in_words(bytes / from.num_partitions) + " to " + size_in_words(bytes) +
                              ", and the larger size counts");
    }

    void take_module_outputs(const hlo_module& from) {
        std::vector<std::optional<std::size_t>> taken(from.outputs.size());
        for (const program_alias& entry : from.aliases) {
            const program_array& argument = from.arguments[entry.argument];
            taken[entry.output] = find_argument(argument.parameter, argument.index);
        }
        const std::vector<const program_array*> arrays = arrays_with_shares(from);
        made_.knows_outputs =
            arrays.empty() || !from.has_whole_arrays ||
            std::any_of(arrays.begin(), arrays.end(), [](const auto* array) { return array->share_bytes.has_value(); });
        if (!made_.knows_outputs) return;
        for (std::size_t at = 0; at < arrays.size(); ++at) {
            const program_array& entry = from.outputs[at];
            if (entry.in_device_memory())
                made_.outputs.push_back(
                    {entry.index, size_in(from, *arrays[at]), unpadded_in(from, *arrays[at]), entry.text, taken[at]});
        }
    }

    void add_labels(const hlo_module& from) {
        for (const program_array& entry : from.arguments)
            if (const auto at = find_argument(entry.parameter, entry.index); at && made_.arguments[*at].label.empty())
                made_.arguments[*at].label = entry.label;
    }

    /// Adds the values of the largest range of temporaries in HBM, if the file states the lives of all of them.
    void add_temporaries(const assignment& from) {
        std::size_t range = 0;
        for (std::size_t at = 0; at < from.allocations.size(); ++at) {
            const allocation& entry = from.allocations[at];
            if (!entry.is_temporary || !entry.in_hbm() || entry.bytes <= made_.temporaries_height) continue;
            range = at;
            made_.temporaries_height = entry.bytes;
        }
        const std::uint64_t height = std::exchange(made_.temporaries_height, 0);
        if (height == 0 || from.live_ranges.empty()) return;
        std::vector<temporary_value> values;
        for (const buffer_value& value : from.values) {
            if (value.allocation != range) continue;
            const auto life = from.live_ranges.find({value.name, value.index});
            if (life == from.live_ranges.end()) return;  // a packing of only some values says nothing
            values.push_back({name_of(value), without_layouts(value.shape), value.bytes, value.offset,
                              life->second.begin, life->second.end});
        }
        made_.temporaries = joined(std::move(values));
        made_.temporaries_height = height;
    }

    [[nodiscard]] std::string name_of(const buffer_value& value) const {
        if (!from_.module) return value.name;
        const auto origin = from_.module->value.origins.find(value.name);
        if (origin == from_.module->value.origins.end()) return value.name;
        const auto& [operation, source] = origin->second;
        return operation + (operation.empty() || source.empty() ? "" : ", ") + source;
    }

    /// Joins values that take over the place of an operand at the end of its life: they are one block for a packing.
    static std::vector<temporary_value> joined(std::vector<temporary_value> values) {
        std::sort(values.begin(), values.end(), [](const temporary_value& left, const temporary_value& right) {
            return std::tie(left.offset, left.begin, left.end) < std::tie(right.offset, right.begin, right.end);
        });
        std::vector<temporary_value> blocks;
        for (temporary_value& value : values) {
            if (blocks.empty() || blocks.back().offset != value.offset || blocks.back().end < value.begin) {
                blocks.push_back(std::move(value));
                continue;
            }
            temporary_value& before = blocks.back();
            before.end = std::max(before.end, value.end);
            if (value.bytes <= before.bytes) continue;
            before.bytes = value.bytes;
            before.name = std::move(value.name);
            before.shape = std::move(value.shape);
        }
        return blocks;
    }

    void list_unknown() {
        const std::string dump = "set XLA_FLAGS=--xla_dump_to=FOLDER and bring the "
                                 "*after_optimizations-buffer-assignment.txt of this program";
        if (!made_.knows_outputs) made_.unknown.push_back({"outputs", dump});
        if (!made_.temporary) made_.unknown.push_back({"temporaries and constants", dump});
        made_.unknown.push_back(
            {"code",
             "no file of a dump has it; compiled.memory_analysis() in JAX prints it as generated_code_size_in_bytes"});
    }

    const program_files& from_;
    imported_program made_;
    std::map<std::pair<std::uint64_t, index_path>, std::size_t> names_;  // positions in `made_.arguments`
};

}  // namespace

imported_program join_program(const program_files& from) {
    return program_joiner(from).join();
}

}  // namespace hbm::imported
