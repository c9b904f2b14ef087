#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/file_kind.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/module/module_header.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::imported::xla {

namespace {

/// Reader of one module.
class module_reader {
public:
    /// Constructs a reader; `file` is for messages. The text must outlive the reader.
    module_reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    /// Reads the first module of the text; without a line HloModule, the ENTRY computation alone. Missing parts are
    /// left out and flagged: a text that ends after its header is sufficient if the header has the layouts. Cost:
    /// O(length).
    [[nodiscard]] reading<hlo_module> read() {
        constexpr std::string_view mark = "HloModule ";
        const std::size_t begin = find_line(text_, mark);
        module_header header;
        std::size_t after_header = 0;
        has_header_ = begin != std::string_view::npos;
        if (has_header_) {
            const std::size_t next = find_line(text_.substr(begin + mark.size()), mark);
            if (next != std::string_view::npos) {
                name_others(text_.substr(begin + mark.size() + next));
                text_ = text_.substr(0, begin + mark.size() + next);
            }
            module_header_reader header_reader(text_, begin + mark.size());
            if (!header_reader.read(header))
                return error_at(text_, header_reader.at(), file_, std::string(header_reader.expected()));
            after_header = header_reader.at();
        } else if (find_line(text_, "ENTRY ") == std::string_view::npos) {
            return error_at(text_, 0, file_, "a line `HloModule NAME`, or a computation that begins with ENTRY");
        }
        const std::optional<module_entry> entry = read_module_entry(text_, after_header);
        made_.name = !has_header_ && entry ? entry->name : header.name;
        made_.is_scheduled = header.is_scheduled;
        made_.num_partitions = header.num_partitions;
        made_.replica_count = header.replica_count;
        made_.states_layouts = header.states_layouts;
        made_.is_cut = !entry || !entry->is_whole;
        if (entry) made_.entry = entry->name;
        const bool is_divided = made_.is_scheduled || (entry && entry->name.ends_with("_spmd"));
        // PyTorch/XLA prints shardings without the number of partitions.
        if (!is_divided && entry && made_.num_partitions == 1) {
            for (const entry_value& parameter : entry->parameters)
                made_.num_partitions = std::max(made_.num_partitions, devices_in(parameter.sharding));
            made_.states_partitions = made_.num_partitions == 1;
        }
        made_.has_whole_arrays = made_.num_partitions > 1 && !is_divided;

        const bool is_good = (header.states_layouts ? take_layouts(header) : take_instructions(entry)) &&
                             check_sizes(header) && take_aliases(header);
        if (!is_good) return error_;
        if (entry) take_attributes(*entry);
        if (made_.is_scheduled) made_.origins = origins_in(text_);
        return std::move(made_);
    }

private:
    bool fail(std::size_t at, std::string expected) {
        error_ = error_at(text_, at, file_, std::move(expected));
        return false;
    }

    /// Notes the names of the modules in `text`, which begins with one.
    void name_others(std::string_view text) {
        constexpr std::string_view mark = "HloModule ";
        for (std::size_t at = 0; at != std::string_view::npos;) {
            text.remove_prefix(at + mark.size());
            made_.others.emplace_back(text.substr(0, text.find_first_of(", \t\r\n")));
            at = find_line(text, mark);
        }
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

    bool take_layouts(module_header& header) {
        for (shape_leaf& item : header.parameters) {
            const std::uint64_t parameter = item.index.front();
            item.index.erase(item.index.begin());
            take(made_.arguments, std::move(item), parameter);
        }
        for (shape_leaf& item : header.result) take(made_.outputs, std::move(item), 0);
        return true;
    }

    bool take_shape(const entry_value& value, std::vector<program_array>& target) {
        shape_reader reader(text_, value.shape_at);
        std::vector<shape_leaf> leaves;
        if (!reader.read_leaves(leaves)) return fail(reader.at(), std::string(reader.expected()));
        if (leaves.size() > max_tuple_leaves - std::min(max_tuple_leaves, target.size()))
            return fail(value.shape_at, "at most " + trace::decimal(max_tuple_leaves) + " arrays");
        for (shape_leaf& item : leaves) take(target, std::move(item), value.parameter);
        return true;
    }

    /// Reads arrays from instructions: modules from before 2021 have no layouts in their header.
    bool take_instructions(const std::optional<module_entry>& entry) {
        if (!entry)
            return fail(text_.size(),
                        "entry_computation_layout in the header, or a computation that begins with ENTRY: "
                        "bring all of the file");
        if (!entry->is_whole || !entry->result)
            return fail(text_.size(),
                        "the end of the ENTRY computation, with a line that begins with ROOT: bring all of "
                        "the file");
        std::vector<entry_value> parameters = entry->parameters;
        std::sort(parameters.begin(), parameters.end(), [](const entry_value& left, const entry_value& right) {
            return left.parameter != right.parameter ? left.parameter < right.parameter
                                                     : left.shape_at < right.shape_at;
        });
        for (std::size_t at = 0; at < parameters.size(); ++at) {
            const bool is_next = has_header_ ? parameters[at].parameter == at
                                             : at == 0 || parameters[at].parameter > parameters[at - 1].parameter;
            if (!is_next) return fail(parameters[at].shape_at, "parameters numbered from 0 on, each once");
            if (!take_shape(parameters[at], made_.arguments)) return false;
        }
        return take_shape(*entry->result, made_.outputs);
    }

    /// Checks that all sums over the module fit into 64 bits.
    bool check_sizes(const module_header& header) {
        std::uint64_t total = 0;
        for (const std::vector<program_array>* all : {&made_.arguments, &made_.outputs})
            for (const program_array& item : *all) {
                if (item.bytes > std::numeric_limits<std::uint64_t>::max() - total)
                    return fail(header.parameters_at, "arguments and outputs of less than 2^64 bytes together");
                total += item.bytes;
            }
        return true;
    }

    /// Returns the position of an array among arguments or outputs; their number if there is none.
    [[nodiscard]] static std::size_t find(const std::vector<program_array>& all, std::uint64_t parameter,
                                          const index_path& index) {
        const auto match =
            std::lower_bound(all.begin(), all.end(), parameter, [&](const program_array& item, std::uint64_t) {
                return item.parameter != parameter ? item.parameter < parameter : item.index < index;
            });
        const bool is_it = match != all.end() && match->parameter == parameter && match->index == index;
        return is_it ? static_cast<std::size_t>(match - all.begin()) : all.size();
    }

    bool take_aliases(const module_header& header) {
        std::vector<bool> is_taken(made_.arguments.size(), false);
        std::vector<bool> takes(made_.outputs.size(), false);
        const auto find_argument = [&](const stated_alias& item, std::size_t& argument) {
            argument = find(made_.arguments, item.parameter, item.index);
            if (argument == made_.arguments.size()) return fail(item.at, "a parameter that the module has");
            if (is_taken[argument]) return fail(item.at, "each parameter once, aliased or donated");
            is_taken[argument] = true;
            return true;
        };
        for (const stated_alias& item : header.aliases) {
            program_alias alias;
            alias.must = item.must;
            alias.output = find(made_.outputs, 0, item.output);
            if (alias.output == made_.outputs.size()) return fail(item.at, "an output that the module has");
            if (takes[alias.output]) return fail(item.at, "each output once");
            takes[alias.output] = true;
            if (!find_argument(item, alias.argument)) return false;
            made_.aliases.push_back(alias);
        }
        for (const stated_alias& item : header.donors) {
            std::size_t argument = 0;
            if (!find_argument(item, argument)) return false;
            made_.donors.push_back(argument);
        }
        return true;
    }

    /// Adds attributes of instructions to the arrays of the header: labels, and the division of whole arrays.
    void take_attributes(const module_entry& entry) {
        for (const entry_value& item : entry.parameters) {
            const auto begin =
                std::partition_point(made_.arguments.begin(), made_.arguments.end(),
                                     [&](const auto& array) { return array.parameter < item.parameter; });
            const auto end = std::partition_point(begin, made_.arguments.end(),
                                                  [&](const auto& array) { return array.parameter == item.parameter; });
            if (begin == end || !seen_.insert(item.parameter).second) continue;  // the first of several
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
        const std::vector<std::string_view> all = shardings_in(sharding, static_cast<std::size_t>(end - begin));
        for (const std::string_view item : all) {
            begin->share = share_of(begin->shape, item);
            if (begin->share) begin->share_bytes = padded_bytes(*begin->share);
            ++begin;
        }
    }

    std::string_view text_;
    std::string file_;
    hlo_module made_;
    bool has_header_ = true;        // without one, unused parameters are left out of the text
    std::set<std::uint64_t> seen_;  // parameters already read
    trace::read_error error_;
};

}  // namespace

reading<hlo_module> read_module(std::string_view text, const std::string& file) {
    if (has_stamped_module(text)) return module_reader(without_stamps(text), file).read();
    return module_reader(text, file).read();
}

}  // namespace hbm::imported::xla
