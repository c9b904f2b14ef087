#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/csv/read.hpp"
#include "compare/read/csv/table.hpp"
#include "compare/read/read_file.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

/// Names of the operations, in the order of `op`.
constexpr std::array<std::string_view, 9> op_names{"alloc", "free",  "load", "run",   "unload",
                                                   "pin",   "unpin", "sync", "import"};

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

/// In the order of `column`; the required ones come first.
constexpr std::array<std::string_view, 12> names{"op",      "id",      "bytes",   "t",         "tag",    "inputs",
                                                 "donated", "outputs", "scratch", "reload_us", "offset", "us"};

/// Columns of the fields of a row, in the order of `field`.
constexpr column column_of[] = {t_, op_, id_, bytes_, tag_, inputs_, donated_, outputs_, scratch_, reload_us_, offset_};

constexpr unsigned bit(column which) {
    return 1U << which;
}

/// Columns that an operation has beyond `op`, `t` and `tag`, in the order of `op`.
constexpr unsigned columns_of[] = {
    bit(id_) | bit(bytes_),                                              // alloc
    bit(id_) | bit(bytes_),                                              // free
    bit(id_) | bit(bytes_) | bit(scratch_) | bit(reload_us_),            // load
    bit(id_) | bit(inputs_) | bit(donated_) | bit(outputs_) | bit(us_),  // run
    bit(id_),                                                            // unload
    bit(id_),                                                            // pin
    bit(id_),                                                            // unpin
    0,                                                                   // sync
    bit(id_) | bit(bytes_) | bit(offset_),                               // import
};

/// Reader of the rows of a table in this project's grammar.
class csv_reader {
public:
    /// Reads from this table, which must outlive the reader.
    explicit csv_reader(table& rows) : rows_(rows), builder_(rows.file()) {}

    workload read() {
        rows_.accept_columns(names, 3);
        while (rows_.next()) read_row();
        return std::move(builder_).finish();
    }

private:
    void read_row() {
        builder_.at_line(rows_.line());
        std::size_t which = 0;
        while (which < op_names.size() && op_names[which] != rows_.cell(op_)) ++which;
        if (which == op_names.size())
            rows_.wrong(op_, "one of alloc, free, load, run, unload, pin, unpin, sync, import");
        constexpr unsigned of_all = bit(op_) | bit(t_) | bit(tag_);
        for (std::size_t at = 0; at < names.size(); ++at)
            if (!rows_.cell(at).empty() && ((of_all | columns_of[which]) >> at & 1U) == 0)
                rows_.wrong(at,
                            "an empty cell: " + std::string(op_names[which]) + " takes no " + std::string(names[at]));
        if (!rows_.cell(t_).empty()) accept(builder_.at_time(rows_.number(t_, "microseconds")));
        accept(add_row(static_cast<op>(which)));
    }

    void accept(const row_failure& problem) const {
        if (!problem.ok())
            rows_.wrong(column_of[static_cast<std::size_t>(problem.where)], problem.expected, problem.found);
    }

    row_failure add_row(op what) {
        const std::string_view name = rows_.cell(id_);
        const std::string_view tag = rows_.cell(tag_);
        switch (what) {
        case op::alloc: return builder_.alloc(name, rows_.number(bytes_, "bytes"), tag);
        case op::free: return builder_.free(name, rows_.number(bytes_, "bytes", unspecified), tag);
        case op::load: {
            const std::uint64_t code = rows_.number(bytes_, "bytes");
            const std::uint64_t scratch = rows_.number(scratch_, "bytes", 0);
            return builder_.load(name, {code, scratch, duration(reload_us_)}, tag);
        }
        case op::run: return add_run(name, tag);
        case op::unload: return builder_.unload(name, tag);
        case op::pin: return builder_.pin(name, tag);
        case op::unpin: return builder_.unpin(name, tag);
        case op::sync: return builder_.sync(tag);
        case op::import: {
            const std::uint64_t bytes = rows_.number(bytes_, "bytes");
            return builder_.import_at(name, bytes, rows_.number(offset_, "an offset in bytes"), tag);
        }
        }
        return {};
    }

    /// Returns a duration, which has to be a number of nanoseconds too.
    [[nodiscard]] std::uint64_t duration(column where) const {
        constexpr std::uint64_t most = ~std::uint64_t{0} / 1000;
        const std::uint64_t us = rows_.number(where, "microseconds", unspecified);
        if (us > most && !rows_.cell(where).empty()) rows_.wrong(where, "at most " + decimal(most) + " microseconds");
        return us;
    }

    row_failure add_run(std::string_view name, std::string_view tag) {
        const std::uint64_t us = duration(us_);
        split(rows_.cell(inputs_), input_names_);
        split(rows_.cell(donated_), donated_names_);
        split(rows_.cell(outputs_), output_texts_);
        output_names_.clear();
        for (const std::string_view text : output_texts_) {
            // The last colon, since an id may be any token.
            const std::size_t colon = text.rfind(':');
            std::uint64_t bytes = 0;
            if (colon == std::string_view::npos || !parse_number(text.substr(colon + 1), bytes))
                rows_.wrong(outputs_, "id:bytes with an unsigned decimal number below 2^64", "output " + quoted(text));
            output_names_.push_back({text.substr(0, colon), bytes});
        }
        return builder_.run(name, {input_names_, donated_names_, output_names_}, tag, us);
    }

    static void split(std::string_view text, std::vector<std::string_view>& words) {
        words.clear();
        for (std::size_t from = text.find_first_not_of(' '); from != std::string_view::npos;) {
            const std::size_t end = std::min(text.find(' ', from), text.size());
            words.push_back(text.substr(from, end - from));
            from = text.find_first_not_of(' ', end);
        }
    }

    table& rows_;
    workload_builder builder_;
    std::vector<std::string_view> input_names_;
    std::vector<std::string_view> donated_names_;
    std::vector<std::string_view> output_texts_;
    std::vector<named_size> output_names_;
};

}  // namespace

workload read_text(std::string_view text, std::string name) {
    constexpr std::string_view of_rmm[] = {"action", "pointer", "thread"};
    constexpr std::string_view of_minimalloc[] = {"lower", "upper"};
    constexpr std::string_view of_trace[] = {"op", "id", "bytes"};
    table rows(text, std::move(name));
    if (rows.has_any(of_rmm)) return read_rmm(rows);
    if (rows.has_any(of_minimalloc)) return read_minimalloc(rows);
    if (rows.has_any(of_trace)) return csv_reader(rows).read();
    rows.wrong_line("a header row: op,id,bytes (a trace), id,lower,upper,size (MiniMalloc) or "
                    "Thread,Time,Action,Pointer,Size,Stream (an RMM log)");
}

workload read_file(const std::string& path) {
    return read_text(compare::read_text(path), path);
}

}  // namespace hbm::trace
