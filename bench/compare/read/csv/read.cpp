#include "compare/read/csv/read.hpp"

#include <utility>

#include "compare/read/csv/table.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

read_result read_table(table& rows) {
    constexpr std::string_view headers = "a header row: op,id,bytes (a trace), id,lower,upper,size (MiniMalloc) or "
                                         "Thread,Time,Action,Pointer,Size,Stream (an RMM log)";
    if (!rows.find_header()) {
        rows.wrong_line(rows.is_empty() ? "an empty file" : "the end of the file", std::string{headers});
        return rows.error();
    }
    const auto has_any = [&](auto... columns) { return (rows.has_column(columns) || ...); };
    if (has_any("Action", "Pointer", "Thread")) return read_rmm_rows(rows);
    if (has_any("lower", "upper")) return read_minimalloc_rows(rows);
    if (has_any("op", "id", "bytes")) return read_trace_rows(rows);
    rows.wrong_line(quoted(rows.line_text()), std::string{headers});
    return rows.error();
}

}  // namespace

read_result read_text(std::string_view text, std::string name) {
    table rows(text, std::move(name));
    return read_table(rows);
}

read_result read_text(text_file& file, std::string name) {
    table rows(file.content(), std::move(name));
    read_result result = read_table(rows);
    read_error error;
    if (file.has_failed(error)) return error;
    return result;
}

read_result read_file(const std::string& path) {
    text_file file;
    read_error error;
    if (!file.open(path, error)) return error;
    return read_text(file, path);
}

}  // namespace hbm::trace
