#include "compare/read/csv/read.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

#include "compare/read/csv/table.hpp"
#include "compare/text/gzip.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

/// Detector of endless text during reading: a byte of zero in it, as in devices, or a line without end.
class endless_text {
public:
    static constexpr std::size_t longest_line = std::size_t{256} << 20U;

    /// Checks `bytes`, of which those from `from` on are new. Packed, pickled and UTF-16 data is not text and passes.
    /// Returns false, with `error`, if a text is wrong.
    /// Cost: O(new bytes).
    bool look(const std::string& path, std::string_view bytes, std::size_t from, read_error& error) {
        constexpr std::string_view no_text = "\x1f\x80\x0a\xff\xfe\xfdP(B";  // first bytes of binary formats
        if (bytes.empty() || no_text.find(bytes.front()) != std::string_view::npos) return true;
        const std::size_t zero = std::min(bytes.find('\0', from), bytes.size());
        for (std::size_t at = bytes.find('\n', from); at < zero; at = bytes.find('\n', at + 1)) {
            ++line_;
            begin_ = at + 1;
        }
        if (zero != bytes.size())
            error = {path, line_, zero - begin_ + 1, "a byte of zero", "text"};
        else if (bytes.size() - begin_ > longest_line)
            error = {path, line_, 1, "a line of more than 256 MiB", "text with lines"};
        else
            return true;
        return false;
    }

private:
    std::size_t line_ = 1;
    std::size_t begin_ = 0;  // start of that line
};

}  // namespace

read_result read_text(std::string_view text, std::string name) {
    constexpr std::string_view headers = "a header row: op,id,bytes (a trace), id,lower,upper,size (MiniMalloc) or "
                                         "Thread,Time,Action,Pointer,Size,Stream (an RMM log)";
    table rows(text, std::move(name));
    if (!rows.find_header()) {
        rows.wrong_line(text.empty() ? "an empty file" : "the end of the file", std::string{headers});
        return rows.error();
    }
    const auto has_any = [&](auto... columns) { return (rows.has_column(columns) || ...); };
    if (has_any("Action", "Pointer", "Thread")) return read_rmm_rows(rows);
    if (has_any("lower", "upper")) return read_minimalloc_rows(rows);
    if (has_any("op", "id", "bytes")) return read_trace_rows(rows);
    rows.wrong_line(quoted(rows.line_text()), std::string{headers});
    return rows.error();
}

bool read_bytes(const std::string& path, std::vector<char>& bytes, read_error& error) {
    const auto refuse = [&](int reason) {
        error = {path, 0, 0, "", std::strerror(reason)};
        return false;
    };
    errno = 0;
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return refuse(errno);
    const bool has_size = std::fseek(file, 0, SEEK_END) == 0 && std::ftell(file) > 0;
    if (has_size) std::rewind(file);
    errno = 0;
    constexpr std::size_t portion = std::size_t{1} << 20U;
    constexpr std::size_t most = std::size_t{1} << 30U;
    endless_text watch;
    std::size_t size = 0;
    std::size_t got = 0;
    bool is_right = true;
    do {
        // Doubling keeps this linear. The size is not relied on because a pipe has none.
        if (bytes.size() < size + portion) bytes.resize(2 * size + portion);
        got = std::fread(bytes.data() + size, 1, bytes.size() - size, file);
        if (!has_size && got != 0) is_right = watch.look(path, {bytes.data(), size + got}, size, error);
        size += got;
        if (is_right && !has_size && size > most) {
            error = {path, 0, 0, "more than 1 GiB without an end", "a file: save it first, and name that"};
            is_right = false;
        }
    } while (got != 0 && is_right);
    const int reason = std::ferror(file) != 0 ? errno : 0;
    std::fclose(file);
    bytes.resize(is_right ? size : 0);
    return is_right && (reason == 0 || refuse(reason));
}

bool read_unpacked(const std::string& path, std::string& text, read_error& error) {
    std::vector<char> bytes;
    if (!read_bytes(path, bytes, error)) return false;
    const std::string_view packed(bytes.data(), bytes.size());
    if (!is_gzip(packed)) {
        text = packed;
        return true;
    }
    const std::size_t most = most_unpacked(packed.size());
    const unpacking outcome = gunzip(packed, text, most);
    if (outcome != unpacking::done) error = error_of(outcome, path, most, "a trace or a log");
    return outcome == unpacking::done;
}

read_result read_file(const std::string& path) {
    std::string text;
    read_error error;
    if (!read_unpacked(path, text, error)) return error;
    return read_text(text, path);
}

}  // namespace hbm::trace
