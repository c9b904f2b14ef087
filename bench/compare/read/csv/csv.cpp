#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/read/csv/table.hpp"
#include "compare/replay/row_failure.hpp"
#include "compare/replay/workload.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

/// Reader of the rows of a table in this project's grammar, after its header row. Cost: O(size of the text).
class csv_reader {
public:
    /// Reads from this table, which must outlive the reader.
    explicit csv_reader(table& rows) : rows_(rows), builder_(rows.file()) {}

    /// Returns the workload, or the first error.
    read_result read() {
        // The required columns first; `column` below has the same order.
        static constexpr std::array<std::string_view, 12> names{"op",     "id",      "bytes",   "t",       "tag",
                                                                "inputs", "donated", "outputs", "scratch", "reload_us",
                                                                "offset", "us"};
        if (!rows_.read_all(names, 3, [&] { return read_row(); })) return rows_.error();
        return std::move(builder_).finish();
    }

private:
    enum column : std::size_t {
        op_,
        id_,
        bytes_,
        t_,
        tag_,
        inputs_,
        donated_,
        outputs_,
        scratch_,
        reload_us_,
        offset_,
        us_
    };

    /// Columns of the fields of a row, in the order of `field`.
    static constexpr column column_of[] = {t_,       op_,      id_,      bytes_,     tag_,    inputs_,
                                           donated_, outputs_, scratch_, reload_us_, offset_};

    bool accept(const row_failure& problem) {
        if (problem.ok()) return true;
        return rows_.wrong(column_of[static_cast<std::size_t>(problem.where)], problem.found,
                           problem.expected);
    }

    bool read_row() {
        builder_.at_line(rows_.line());
        if (builder_.size() % next_names_.size() == 0) builder_.expect(rows_.peek(id_, next_names_));
        std::size_t which = 0;
        while (which < op_names.size() && op_names[which] != rows_.cell(op_)) ++which;
        if (which == op_names.size()) {
            return rows_.wrong(op_, "one of alloc, free, load, run, unload, pin, unpin, sync, import");
        }
        const auto what = static_cast<op>(which);
        return check_unused(what) && read_time() && read_operation(what);
    }

    bool check_unused(op what) {
        static constexpr std::array<std::pair<column, std::string_view>, 9> all{{{id_, "id"},
                                                                                  {bytes_, "bytes"},
                                                                                  {inputs_, "inputs"},
                                                                                  {donated_, "donated"},
                                                                                  {outputs_, "outputs"},
                                                                                  {scratch_, "scratch"},
                                                                                  {reload_us_, "reload_us"},
                                                                                  {offset_, "offset"},
                                                                                  {us_, "us"}}};
        for (const auto& [where, name] : all) {
            if (!rows_.cell(where).empty() && !uses(what, where)) {
                return rows_.wrong(where, "an empty cell: " + std::string{op_names[static_cast<std::size_t>(what)]} +
                                              " takes no " + std::string{name});
            }
        }
        return true;
    }

    static bool uses(op what, column where) {
        switch (where) {
        case id_: return what != op::sync;
        case bytes_: return what == op::alloc || what == op::free || what == op::load || what == op::import;
        case scratch_:
        case reload_us_: return what == op::load;
        case offset_: return what == op::import;
        default: return what == op::run;
        }
    }

    bool read_time() {
        if (rows_.cell(t_).empty()) return true;
        std::uint64_t time = 0;
        return rows_.number(t_, "microseconds", time) && accept(builder_.at_time(time));
    }

    bool read_operation(op what) {
        const std::string_view name = rows_.cell(id_);
        const std::string_view tag = rows_.cell(tag_);
        std::uint64_t bytes = unspecified;
        switch (what) {
        case op::alloc:
            return rows_.number(bytes_, "bytes", bytes) && accept(builder_.alloc(name, bytes, tag));
        case op::free:
            if (!rows_.cell(bytes_).empty() && !rows_.number(bytes_, "bytes", bytes)) return false;
            return accept(builder_.free(name, bytes, tag));
        case op::load: return read_load(name, tag);
        case op::run: return read_run(name, tag);
        case op::unload: return accept(builder_.unload(name, tag));
        case op::pin: return accept(builder_.pin(name, tag));
        case op::unpin: return accept(builder_.unpin(name, tag));
        case op::sync: return accept(builder_.sync(tag));
        case op::import: return read_import(name, tag);
        }
        return false;
    }

    /// Reads a duration, which has to be a number of nanoseconds too.
    bool read_duration(column where, std::uint64_t& us) {
        constexpr std::uint64_t most = ~std::uint64_t{0} / 1000;
        if (rows_.cell(where).empty()) return true;
        if (!rows_.number(where, "microseconds", us)) return false;
        return us <= most || rows_.wrong(where, "at most " + std::to_string(most) + " microseconds");
    }

    bool read_import(std::string_view name, std::string_view tag) {
        std::uint64_t bytes = 0;
        std::uint64_t offset = 0;
        if (!rows_.number(bytes_, "bytes", bytes) || !rows_.number(offset_, "an offset in bytes", offset)) return false;
        return accept(builder_.import_at(name, bytes, offset, tag));
    }

    bool read_load(std::string_view name, std::string_view tag) {
        program_size size;
        if (!rows_.number(bytes_, "bytes", size.code)) return false;
        if (!rows_.cell(scratch_).empty() && !rows_.number(scratch_, "bytes", size.scratch)) return false;
        if (!read_duration(reload_us_, size.reload_us)) return false;
        return accept(builder_.load(name, size, tag));
    }

    bool read_run(std::string_view name, std::string_view tag) {
        std::uint64_t us = unspecified;
        if (!read_duration(us_, us)) return false;
        split(rows_.cell(inputs_), input_names_);
        split(rows_.cell(donated_), donated_names_);
        split(rows_.cell(outputs_), output_texts_);
        output_names_.clear();
        for (const std::string_view text : output_texts_) {
            // The last colon, since an id may be any token.
            const std::size_t colon = text.rfind(':');
            named_size output;
            if (colon == std::string_view::npos || !parse_number(text.substr(colon + 1), output.bytes)) {
                return rows_.wrong(outputs_, "output " + quoted(text),
                                   "id:bytes with an unsigned decimal number below 2^64");
            }
            output.name = text.substr(0, colon);
            output_names_.push_back(output);
        }
        return accept(builder_.run(name, {input_names_, donated_names_, output_names_}, tag, us));
    }

    static void split(std::string_view text, std::vector<std::string_view>& words) {
        words.clear();
        for (std::size_t from = text.find_first_not_of(' '); from != std::string_view::npos;) {
            const std::size_t end = text.find(' ', from);
            words.push_back(text.substr(from, end == std::string_view::npos ? end : end - from));
            from = text.find_first_not_of(' ', end);
        }
    }

    table& rows_;
    workload_builder builder_;
    std::array<std::string_view, 16> next_names_;
    std::vector<std::string_view> input_names_;
    std::vector<std::string_view> donated_names_;
    std::vector<std::string_view> output_texts_;
    std::vector<named_size> output_names_;
};

}  // namespace

read_result read_trace_rows(table& rows) {
    return csv_reader(rows).read();
}

}  // namespace hbm::trace
