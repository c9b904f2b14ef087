#include "compare/read/xla/module/module_config.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported::xla {

text_proto::step text_proto::next() noexcept {
    for (;;) {
        skip_blanks();
        if (at_ == text_.size()) return step::end;
        if (in_list_ && accept(',')) continue;
        if (in_list_ && !accept(']')) return read_value();
        if (in_list_) {
            in_list_ = false;
            continue;
        }
        if (accept('}')) return step::close;
        name_ = word();
        if (name_.empty()) return step::wrong;
        skip_blanks();
        const bool has_colon = accept(':');
        skip_blanks();
        if (accept('{')) return step::open;
        if (!has_colon) return at_ == text_.size() ? step::end : step::wrong;
        if (!accept('[')) return read_value();
        in_list_ = true;
    }
}

text_proto::step text_proto::read_value() noexcept {
    if (at_ == text_.size()) return step::end;
    const char quote = text_[at_];
    if (quote != '"' && quote != '\'') {
        value_ = word();
        return value_.empty() ? step::wrong : step::field;
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2U : 1U;
    if (end >= text_.size()) {
        at_ = text_.size();
        return step::end;
    }
    if (text_[end] != quote) return step::wrong;
    value_ = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return step::field;
}

bool text_proto::accept(char wanted) noexcept {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
}

std::string_view text_proto::word() noexcept {
    const std::size_t begin = at_;
    const auto belongs = [](char letter) {
        return is_letter(letter) || is_digit(letter) || letter == '_' || letter == '.' || letter == '-' ||
               letter == '+';
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
}

void text_proto::skip_blanks() noexcept {
    bool in_comment = false;
    for (; at_ < text_.size(); ++at_) {
        const char letter = text_[at_];
        if (letter == '\n') {
            ++line_;
            line_begin_ = at_ + 1;
            in_comment = false;
        } else if (letter == '#') {
            in_comment = true;
        } else if (!in_comment && letter != ' ' && letter != '\t' && letter != '\r' && letter != ';') {
            return;
        }
    }
}

namespace {

/// Reader of the configuration of a module. From a file that was cut, it returns the arrays before the cut.
class module_config_reader {
public:
    /// Constructs a reader of this text; `file` is for messages. The text must outlive the reader.
    module_config_reader(std::string_view text, std::string file) : proto_(text) { error_.file = std::move(file); }

    /// Returns the configuration, or the place at which the text is malformed. Cost: O(size).
    reading<module_config> read() {
        for (;;) {
            switch (proto_.next()) {
            case text_proto::step::field:
                if (!read_field()) return error_;
                break;
            case text_proto::step::open:
                if (!open()) return error_;
                break;
            case text_proto::step::close:
                if (open_.empty()) return refuse("a brace that closes nothing", "a field");
                close();
                break;
            case text_proto::step::wrong:
                return refuse(trace::quoted(proto_.rest()), "a name, then a colon and a value or a brace");
            case text_proto::step::end:
                if (!has_layout_)
                    return trace::read_error{error_.file, 0, 0, "no `entry_computation_layout {`",
                                             "the configuration of a module of XLA"};
                if (!open_.empty()) made_.cut_line = proto_.line();
                return std::move(made_);
            }
        }
    }

private:
    enum class part : std::uint8_t { entry, parameter, result, element, layout, tile, other };

    static constexpr std::size_t max_depth = 32;

    /// A shape that is being read: a tuple, or an array.
    struct open_shape {
        array_shape shape;
        std::string tiles;  // tiles as XLA prints them
        std::uint64_t elements = 0;
        bool is_tuple = false;
    };

    bool is_shape(part which) const {
        return which == part::parameter || which == part::result || which == part::element;
    }

    bool open() {
        const part outer = open_.empty() ? part::other : open_.back();
        part inner = part::other;
        if (open_.empty() && proto_.name() == "entry_computation_layout") {
            inner = part::entry;
            has_layout_ = true;
        } else if (outer == part::entry && proto_.name() == "parameters") {
            inner = part::parameter;
        } else if (outer == part::entry && proto_.name() == "result") {
            inner = part::result;
        } else if (is_shape(outer) && proto_.name() == "tuple_shapes") {
            inner = part::element;
        } else if (is_shape(outer) && proto_.name() == "layout") {
            inner = part::layout;
        } else if (outer == part::layout && proto_.name() == "tiles") {
            inner = part::tile;
        }
        if (open_.size() == max_depth) {
            refuse("messages nested deeper than " + std::to_string(max_depth), "a configuration of a module");
            return false;
        }
        open_.push_back(inner);
        if (inner == part::element) index_.push_back(shapes_.back().elements++);
        if (is_shape(inner)) shapes_.emplace_back();
        if (inner == part::layout) shapes_.back().shape.has_layout = true;
        if (inner == part::tile) tile_.clear();
        return true;
    }

    void close() {
        const part closed = open_.back();
        open_.pop_back();
        if (closed == part::tile) end_tile();
        if (!is_shape(closed)) return;
        const bool in_parameter = open_part(part::parameter) || closed == part::parameter;
        if (!shapes_.back().is_tuple) {
            configured_array array{parameters_, index_, std::move(shapes_.back().shape), {}};
            array.text = text_of(array.shape, shapes_.back().tiles);
            (in_parameter ? made_.arguments : made_.outputs).push_back(std::move(array));
        }
        shapes_.pop_back();
        if (closed == part::element) index_.pop_back();
        if (closed == part::parameter) ++parameters_;
        if (closed == part::result) made_.has_result = true;
    }

    bool open_part(part which) const {
        for (const part item : open_)
            if (item == which) return true;
        return false;
    }

    void end_tile() {
        open_shape& subject = shapes_.back();
        subject.tiles += '(';
        for (std::size_t at = 0; at < tile_.size(); ++at) {
            if (at != 0) subject.tiles += ',';
            subject.tiles += tile_[at] == joined_dimension ? "*" : trace::decimal(tile_[at]);
        }
        subject.tiles += ')';
        if (subject.shape.tile.empty()) subject.shape.tile = tile_;
    }

    bool read_field() {
        if (open_.empty()) {
            if (proto_.name() == "replica_count") return number(made_.replica_count.emplace());
            if (proto_.name() == "num_partitions") return number(made_.num_partitions.emplace());
            return true;
        }
        const part source = open_.back();
        if (source == part::tile && proto_.name() == "dimensions") return number(tile_.emplace_back());
        if (source == part::layout) return read_layout_field(shapes_.back().shape);
        if (!is_shape(source)) return true;
        if (proto_.name() == "dimensions") return number(shapes_.back().shape.dimensions.emplace_back());
        if (proto_.name() == "element_type") return read_element_type(shapes_.back());
        return true;
    }

    bool read_layout_field(array_shape& shape) {
        if (proto_.name() == "minor_to_major") {
            std::uint64_t dimension = 0;
            if (!number(dimension)) return false;
            if (dimension >= shape.dimensions.size())
                return wrong("dimension " + trace::decimal(dimension), "a dimension that the shape has");
            shape.minor_to_major.push_back(dimension);
            return true;
        }
        if (proto_.name() == "memory_space") return number(shape.memory_space);
        if (proto_.name() == "element_size_in_bits") return number(shape.element_bits);
        if (proto_.name() == "tail_padding_alignment_in_elements") {
            if (!number(shape.alignment)) return false;
            if (shape.alignment == 0) shape.alignment = 1;
        }
        return true;
    }

    /// `BF16` is printed `bf16` elsewhere.
    bool read_element_type(open_shape& subject) {
        std::string name;
        for (const char letter : proto_.value())
            name += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
        if (name == "opaque_type") name = "opaque";
        subject.is_tuple = name == "tuple";
        if (!subject.is_tuple && !element_bytes(name))
            return wrong("element type " + trace::quoted(proto_.value()), "a type such as F32, BF16 or TUPLE");
        subject.shape.element = std::move(name);
        return true;
    }

    bool number(std::uint64_t& target) {
        if (trace::parse_number(proto_.value(), target)) return true;
        // A number of a tile that joins two dimensions is the least that 64 bits hold.
        if (proto_.value() == "-9223372036854775808" && !open_.empty() && open_.back() == part::tile) {
            target = joined_dimension;
            return true;
        }
        return wrong(trace::quoted(proto_.value()), "an unsigned decimal number below 2^64");
    }

    static std::string text_of(const array_shape& shape, const std::string& tiles) {
        std::string text = shape.element + '[';
        for (std::size_t at = 0; at < shape.dimensions.size(); ++at)
            text += (at == 0 ? "" : ",") + trace::decimal(shape.dimensions[at]);
        text += ']';
        if (!shape.has_layout) return text;
        std::string more;
        if (!tiles.empty()) more += 'T' + tiles;
        if (shape.alignment != 1) more += "L(" + trace::decimal(shape.alignment) + ')';
        if (shape.element_bits != 0) more += "E(" + trace::decimal(shape.element_bits) + ')';
        if (shape.memory_space != device_memory_space) more += "S(" + trace::decimal(shape.memory_space) + ')';
        if (more.empty() && shape.dimensions.empty()) return text;
        text += '{';
        for (std::size_t at = 0; at < shape.minor_to_major.size(); ++at)
            text += (at == 0 ? "" : ",") + trace::decimal(shape.minor_to_major[at]);
        return text + (more.empty() ? "" : ":") + more + '}';
    }

    trace::read_error refuse(std::string content, std::string expected) {
        wrong(std::move(content), std::move(expected));
        return error_;
    }
    bool wrong(std::string content, std::string expected) {
        error_.line = proto_.line();
        error_.column = proto_.column();
        error_.found = std::move(content);
        error_.expected = std::move(expected);
        return false;
    }

    text_proto proto_;
    module_config made_;
    trace::read_error error_;
    std::vector<part> open_;
    std::vector<open_shape> shapes_;
    std::vector<std::uint64_t> tile_;
    index_path index_;
    std::uint64_t parameters_ = 0;
    bool has_layout_ = false;
};

}  // namespace

reading<module_config> read_module_config(std::string_view text, std::string file) {
    return module_config_reader(text, std::move(file)).read();
}

namespace {

/// Appends arrays as leaves, and returns the sum of those in HBM; no sum if a size is unknown.
std::optional<std::uint64_t> add_leaves(const std::vector<configured_array>& from, bool are_parameters,
                                        std::vector<described_leaf>& target) {
    std::optional<std::uint64_t> sum = 0;
    for (const configured_array& entry : from) {
        json_writer text;
        text.value(entry.text);
        const std::optional<std::uint64_t> bytes = padded_bytes(entry.shape);
        target.push_back({.parameter = are_parameters ? std::optional{entry.parameter} : std::nullopt,
                          .index = entry.index,
                          .bytes = bytes,
                          .more = {{"shape", text.text()},
                                   {"unpadded_bytes", number_json(unpadded_bytes(entry.shape))},
                                   {"memory_space", std::to_string(entry.shape.memory_space)}}});
        if (entry.shape.memory_space != device_memory_space) continue;
        if (bytes && sum && *sum <= ~std::uint64_t{0} - *bytes)
            sum = *sum + *bytes;
        else
            sum.reset();
    }
    return sum;
}

}  // namespace

description describe(const module_config& subject) {
    description result;
    result.kind = file_kind::config;
    const std::optional<std::uint64_t> arguments = add_leaves(subject.arguments, true, result.arguments.emplace());
    const std::optional<std::uint64_t> outputs = add_leaves(subject.outputs, false, result.outputs.emplace());
    if (subject.cut_line == not_cut || subject.has_result) result.argument_bytes = arguments;
    if (subject.has_result)
        result.output_bytes = outputs;
    else
        result.outputs.reset();
    result.more = {{"num_partitions", number_json(subject.num_partitions)},
                   {"replica_count", number_json(subject.replica_count)},
                   {"global_shapes", subject.has_global_shapes() ? "true" : "false"},
                   {"cut_line", subject.cut_line == not_cut ? "null" : std::to_string(subject.cut_line)}};
    return result;
}

}  // namespace hbm::imported::xla
