#pragma once
// Reads a trace in any of the known grammars, which its header row tells apart.

#include <hbm/trace/read/csv.hpp>
#include <hbm/trace/read/minimalloc.hpp>
#include <hbm/trace/read/rmm.hpp>
#include <hbm/trace/read/table.hpp>
#include <hbm/trace/read_error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::trace {

/// The type of a function that unpacks a gzip file and returns false if it is damaged, as `gunzip` of gzip.hpp.
using decompressor = bool(const std::vector<char>& packed, std::string& unpacked);

/// Reads a trace in this project's grammar, a MiniMalloc instance or an RMM log. `name` appears in messages and becomes
/// the workload's name. An invalid text gives an error and no workload. O(size); MiniMalloc O(n log n).
inline read_result read_text(std::string_view text, std::string name) {
    constexpr std::string_view headers = "a header row: op,id,bytes (a trace), id,lower,upper,size (MiniMalloc) or "
                                         "Thread,Time,Action,Pointer,Size,Stream (an RMM log)";
    table rows(text, std::move(name));
    if (!rows.find_header()) {
        rows.wrong_line(text.empty() ? "an empty file" : "the end of the file", std::string{headers});
        return rows.error();
    }
    const auto has_any = [&](auto... columns) { return (rows.has_column(columns) || ...); };
    if (has_any("Action", "Pointer", "Thread")) return rmm_reader(rows).read();
    if (has_any("lower", "upper")) return minimalloc_reader(rows).read();
    if (has_any("op", "id", "bytes")) return csv_reader(rows).read();
    rows.wrong_line(quoted(rows.first_cell()), std::string{headers});
    return rows.error();
}

/// Reads a whole file into `bytes`; false, with the reason in `error`, when that fails.
inline bool read_bytes(const std::string& path, std::vector<char>& bytes, read_error& error) {
    const auto refuse = [&](int reason) {
        error = {path, 0, 0, std::string{"a file that cannot be read ("} + std::strerror(reason) + ")",
                 "the path of a readable trace file"};
        return false;
    };
    errno = 0;
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return refuse(errno);
    constexpr std::size_t portion = std::size_t{1} << 20U;
    std::size_t size = 0;
    std::size_t got = 0;
    do {
        // Doubling keeps this linear. The size is not queried first because a pipe has none.
        if (bytes.size() < size + portion) bytes.resize(2 * size + portion);
        got = std::fread(bytes.data() + size, 1, bytes.size() - size, file);
        size += got;
    } while (got != 0);
    const int reason = std::ferror(file) != 0 ? errno : 0;
    std::fclose(file);
    bytes.resize(size);
    return reason == 0 || refuse(reason);
}

/// Reads a whole file into `text`, and unpacks it if its first bytes are those of gzip; false, with the reason in
/// `error`, when that fails.
inline bool read_unpacked(const std::string& path, decompressor* unpack, std::string& text, read_error& error) {
    std::vector<char> bytes;
    if (!read_bytes(path, bytes, error)) return false;
    if (std::string_view(bytes.data(), bytes.size()).substr(0, 2) != "\x1f\x8b") {
        text.assign(bytes.data(), bytes.size());
        return true;
    }
    if (unpack == nullptr) {
        error = {path, 0, 0, "gzip-compressed data",
                 "plain text: this program was built without zlib, so unpack the file first (gunzip)"};
        return false;
    }
    if (unpack(bytes, text)) return true;
    error = {path, 0, 0, "damaged gzip data", "a whole gzip file: check it with gzip -t"};
    return false;
}

/// Reads a trace file; see `read_text`. A gzip file is recognised by its first bytes and needs a decompressor.
inline read_result read_file(const std::string& path, decompressor* unpack = nullptr) {
    std::string text;
    read_error error;
    if (!read_unpacked(path, unpack, text, error)) return error;
    return read_text(text, path);
}

}  // namespace hbm::trace
