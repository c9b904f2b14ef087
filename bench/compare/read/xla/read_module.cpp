#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/module.hpp"
#include "compare/read/xla/module_header.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

constexpr std::string_view module_mark = "HloModule ";

/// Returns the origins of the instructions of a module that states them. Cost: O(length x log(instructions)).
std::map<std::string, instruction_origin> origins_in(std::string_view text) {
    constexpr std::string_view mark = "metadata={";
    constexpr std::size_t longest = 200;  // each value of the instruction repeats it
    std::map<std::string, instruction_origin> origins;
    for (text_lines lines(text); lines.next();) {
        const std::string_view line = lines.line();
        const std::size_t begin = line.find(mark);
        const std::size_t equals = line.find(" = ");
        if (begin == std::string_view::npos || equals > begin) continue;
        const std::string_view words = line.substr(0, equals);
        const std::string_view name = words.substr(words.find_last_of(" %") + 1);  // from 0 on without one
        const std::string_view metadata = line.substr(begin + mark.size());
        instruction_origin origin;
        origin.operation = first_characters(quoted_field(metadata, "op_name=\""), longest);
        std::string_view file = quoted_field(metadata, "source_file=\"");
        file = first_characters(file.substr(file.rfind('/') + 1), longest);
        constexpr std::string_view line_mark = "source_line=";
        const std::size_t number = metadata.find(line_mark);
        std::uint64_t source_line = 0;
        if (!file.empty() && number != std::string_view::npos &&
            text_cursor(metadata, number + line_mark.size()).number(source_line))
            origin.source = std::string(file) + ":" + trace::decimal(source_line);
        if (!origin.operation.empty() || !origin.source.empty()) origins.emplace(name, std::move(origin));
    }
    return origins;
}

/// Reader of one module. It throws `text_mistake`.
class module_reader {
public:
    /// Constructs a reader. The text must outlive it.
    explicit module_reader(std::string_view text) : text_(text) {}

    hlo_module read() {
        const std::size_t begin = find_line(text_, module_mark);
        has_header_ = begin != std::string_view::npos;
        if (!has_header_ && find_line(text_, "ENTRY ") == std::string_view::npos)
            fail(0, "a line `HloModule NAME`, or a computation that begins with ENTRY");
        module_header header;
        std::size_t after_header = 0;
        if (has_header_) {
            cut_off_others(begin + module_mark.size());
            text_cursor cursor(text_, begin + module_mark.size());
            header = take_header(cursor);
            after_header = cursor.at();
        }
        const std::optional<module_entry> entry = read_module_entry(text_, after_header);
        made_.name = !has_header_ && entry ? entry->name : header.name;
        made_.is_scheduled = header.is_scheduled;
        made_.num_partitions = header.num_partitions;
        made_.replica_count = header.replica_count;
        made_.states_layouts = header.states_layouts;
        made_.is_cut = !entry || !entry->is_whole;
        if (entry) made_.entry = entry->name;
        find_partitions(entry);
        if (header.states_layouts)
            take_layouts(header);
        else
            take_instructions(entry);
        check_sizes(header);
        take_aliases(header);
        if (entry) take_attributes(*entry);
        if (made_.is_scheduled) made_.origins = origins_in(text_);
        return std::move(made_);
    }

private:
    [[noreturn]] void fail(std::size_t at, std::string expected) const { text_cursor(text_, at).fail(expected); }

    /// Notes the names of the modules behind the first, whose name begins at `at`, and cuts them off.
    void cut_off_others(std::size_t at) {
        std::size_t next = find_line(text_.substr(at), module_mark);
        if (next == std::string_view::npos) return;
        std::string_view rest = text_.substr(at);
        text_ = text_.substr(0, at + next);
        for (; next != std::string_view::npos; next = find_line(rest, module_mark)) {
            rest.remove_prefix(next + module_mark.size());
            made_.others.emplace_back(rest.substr(0, rest.find_first_of(", \t\r\n")));
        }
    }

    /// Finds out whether shapes are those of whole arrays. PyTorch/XLA prints shardings without the number of
    /// partitions.
    void find_partitions(const std::optional<module_entry>& entry) {
        if (made_.is_scheduled || (entry && entry->name.ends_with("_spmd"))) return;
        if (entry && made_.num_partitions == 1) {
            for (const entry_value& parameter : entry->parameters)
                made_.num_partitions = std::max(made_.num_partitions, devices_in(parameter.sharding));
            made_.states_partitions = made_.num_partitions == 1;
        }
        made_.has_whole_arrays = made_.num_partitions > 1;
    }

    void take(std::vector<program_array>& target, shape_leaf&& leaf, std::uint64_t parameter) {
        program_array array;
        array.parameter = parameter;
        array.index = std::move(leaf.index);
        array.text = std::move(leaf.text);
        array.shape = std::move(leaf.shape);
        array.bytes = padded_bytes(array.shape).value_or(0);  // the reader of shapes has made sure of both
        array.unpadded_bytes = unpadded_bytes(array.shape).value_or(0);
        made_.is_tiled = made_.is_tiled || array.shape.is_tiled();
        target.push_back(std::move(array));
    }

    void take_layouts(module_header& header) {
        for (shape_leaf& item : header.parameters) {
            const std::uint64_t parameter = item.index.front();
            item.index.erase(item.index.begin());
            take(made_.arguments, std::move(item), parameter);
        }
        for (shape_leaf& item : header.result) take(made_.outputs, std::move(item), 0);
    }

    void take_shape(const entry_value& value, std::vector<program_array>& target) {
        text_cursor cursor(text_, value.shape_at);
        std::vector<shape_leaf> leaves = take_leaves(cursor);
        if (leaves.size() > max_tuple_leaves - std::min(max_tuple_leaves, target.size()))
            fail(value.shape_at, "at most " + trace::decimal(max_tuple_leaves) + " arrays");
        for (shape_leaf& item : leaves) take(target, std::move(item), value.parameter);
    }

    /// Reads arrays from instructions: modules from before 2021 have no layouts in their header.
    void take_instructions(const std::optional<module_entry>& entry) {
        if (!entry)
            fail(text_.size(), "entry_computation_layout in the header, or a computation that begins with ENTRY: bring "
                               "all of the file");
        if (!entry->is_whole || !entry->result)
            fail(text_.size(),
                 "the end of the ENTRY computation, with a line that begins with ROOT: bring all of the file");
        std::vector<entry_value> parameters = entry->parameters;
        std::stable_sort(parameters.begin(), parameters.end(), [](const entry_value& left, const entry_value& right) {
            return left.parameter < right.parameter;
        });
        for (std::size_t at = 0; at < parameters.size(); ++at) {
            // Without a header, unused parameters are left out of the text.
            const bool is_next = has_header_ ? parameters[at].parameter == at
                                             : at == 0 || parameters[at].parameter > parameters[at - 1].parameter;
            if (!is_next) fail(parameters[at].shape_at, "parameters numbered from 0 on, each once");
            take_shape(parameters[at], made_.arguments);
        }
        take_shape(*entry->result, made_.outputs);
    }

    /// Checks that all sums over the module fit into 64 bits.
    void check_sizes(const module_header& header) const {
        std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
        for (const std::vector<program_array>* all : {&made_.arguments, &made_.outputs})
            for (const program_array& item : *all) {
                if (item.bytes > left)
                    fail(header.parameters_at, "arguments and outputs of less than 2^64 bytes together");
                left -= item.bytes;
            }
    }

    /// Returns the position of an array among arguments or outputs.
    [[nodiscard]] std::size_t find(const std::vector<program_array>& all, std::uint64_t parameter,
                                   const index_path& index, const stated_alias& from, const char* expected) const {
        const auto match =
            std::lower_bound(all.begin(), all.end(), parameter, [&](const program_array& item, std::uint64_t) {
                return item.parameter != parameter ? item.parameter < parameter : item.index < index;
            });
        if (match == all.end() || match->parameter != parameter || match->index != index) fail(from.at, expected);
        return static_cast<std::size_t>(match - all.begin());
    }

    void take_aliases(const module_header& header) {
        std::vector<bool> is_taken(made_.arguments.size(), false);
        std::vector<bool> takes(made_.outputs.size(), false);
        const auto take_once = [&](std::vector<bool>& which, std::size_t at, const stated_alias& from,
                                   const char* expected) {
            if (which[at]) fail(from.at, expected);
            which[at] = true;
        };
        const auto argument_of = [&](const stated_alias& item) {
            const std::size_t at =
                find(made_.arguments, item.parameter, item.index, item, "a parameter that the module has");
            take_once(is_taken, at, item, "each parameter once, aliased or donated");
            return at;
        };
        for (const stated_alias& item : header.aliases) {
            const std::size_t output = find(made_.outputs, 0, item.output, item, "an output that the module has");
            take_once(takes, output, item, "each output once");
            made_.aliases.push_back({output, argument_of(item), item.must});
        }
        for (const stated_alias& item : header.donors) made_.donors.push_back(argument_of(item));
    }

    /// Adds attributes of instructions to the arrays of the header: labels, and the division of whole arrays.
    void take_attributes(const module_entry& entry) {
        std::vector<program_array>& arguments = made_.arguments;
        std::set<std::uint64_t> seen;
        for (const entry_value& item : entry.parameters) {
            const auto begin = std::partition_point(arguments.begin(), arguments.end(), [&](const auto& array) {
                return array.parameter < item.parameter;
            });
            const auto end = std::partition_point(begin, arguments.end(),
                                                  [&](const auto& array) { return array.parameter == item.parameter; });
            if (begin == end || !seen.insert(item.parameter).second) continue;  // the first of several counts
            for (auto array = begin; array != end; ++array) set_label(*array, item.label);
            divide(begin, end, item.sharding);
        }
        if (entry.result) divide(made_.outputs.begin(), made_.outputs.end(), entry.result->sharding);
    }

    /// Sets the label of an array, cut to a limit, since all arrays of a parameter copy it.
    static void set_label(program_array& array, std::string_view label) {
        constexpr std::size_t longest = 200;
        for (std::size_t at = 0; at < label.size() && array.label.size() < longest; ++at)
            if (label[at] != '\\' || at + 1 == label.size()) array.label += label[at];
    }

    template <class Iterator>
    void divide(Iterator begin, Iterator end, std::string_view sharding) {
        if (!made_.has_whole_arrays || sharding.empty()) return;
        for (const std::string_view item : shardings_in(sharding, static_cast<std::size_t>(end - begin))) {
            begin->share = share_of(begin->shape, item);
            if (begin->share) begin->share_bytes = padded_bytes(*begin->share);
            ++begin;
        }
    }

    std::string_view text_;
    hlo_module made_;
    bool has_header_ = true;
};

}  // namespace

hlo_module read_module(std::string_view text, const std::string& file) {
    const std::string unstamped = without_stamps(text);
    if (!unstamped.empty()) text = unstamped;
    try {
        return module_reader(text).read();
    } catch (const text_mistake& mistake) {
        throw trace::error_at(text, mistake.at, file, mistake.expected);
    }
}

}  // namespace hbm::imported
