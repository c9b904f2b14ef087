#include "compare/read/read_file.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "compare/read/csv/read.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/read_error.hpp"
#include "compare/text/gzip.hpp"

namespace hbm::compare {

namespace {

using imported::file_kind;
using trace::read_error;

std::string shown_name(const std::string& path) {
    return path == "-" ? "stdin" : path;
}

/// Reads a stream to its end. Of a device, a byte of zero ends it: /dev/zero has no end.
std::string read_stream(std::FILE* file, const std::string& path, std::size_t most, bool is_device = false) {
    std::string bytes;
    std::array<char, 65536> portion;
    errno = 0;
    while (const std::size_t count = std::fread(portion.data(), 1, portion.size(), file)) {
        bytes.append(portion.data(), count);
        if (is_device && std::memchr(portion.data(), 0, count) != nullptr)
            throw read_error(shown_name(path), "a byte of zero", "text");
        if (bytes.size() > most)
            throw read_error(shown_name(path), "more than " + size_in_words(most),
                             "less: the part that matters, such as that around a message: `grep -n RESOURCE_EXHAUSTED "
                             "FILE`, or `tail -n 1000 FILE`");
    }
    if (std::ferror(file) != 0) throw read_error(shown_name(path), "", std::strerror(errno));
    return bytes;
}

std::string read_bytes(const std::string& path, std::size_t most) {
    if (path == "-") return read_stream(stdin, path, most);
    // A pipe gives its bytes once, but a file is read to find out its kind, and then for what is in it.
    static std::mutex mutex;
    static std::map<std::string, std::string> pipes;
    std::error_code unknown;
    const bool is_pipe = std::filesystem::is_fifo(path, unknown);
    const std::unique_lock lock = is_pipe ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
    if (is_pipe)
        if (const auto known = pipes.find(path); known != pipes.end()) return known->second;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (file == nullptr) throw read_error(path, "", std::strerror(errno));
    constexpr std::size_t most_of_pipe = std::size_t{1} << 30U;
    if (!std::filesystem::is_regular_file(path, unknown)) most = std::min(most, most_of_pipe);
    std::string bytes = read_stream(file.get(), path, most, std::filesystem::is_character_file(path, unknown));
    if (is_pipe) pipes.emplace(path, bytes);
    return bytes;
}

std::string unpacked(const std::string& packed, const std::string& path, std::size_t most) {
    most = std::min(most, trace::most_unpacked(packed.size()));
    std::string text;
    switch (trace::gunzip(packed, text, most)) {
    case trace::unpacking::done: return text;
    case trace::unpacking::without_zlib:
        throw read_error(shown_name(path), "gzip data",
                         "plain text: this program was built without zlib, so unpack the file first (gunzip)");
    case trace::unpacking::too_large:
        throw read_error(shown_name(path), "gzip data of more than " + size_in_words(most),
                         "less: check it with gunzip -c FILE | wc -c, and unpack it first if it is right");
    default: throw read_error(shown_name(path), "damaged gzip data", "a whole gzip file: check it with gzip -t");
    }
}

/// Returns advice on the file of a folder to use instead: in an XLA dump the longest of a compiled program, whatever
/// the order of the listing.
std::string instead_of_folder(const std::string& path) {
    std::pair<std::uintmax_t, std::string> best;
    std::error_code error;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        std::error_code unknown;
        const std::uintmax_t size = at->file_size(unknown);
        if (unknown || name.find("after_optimizations") == std::string::npos) continue;
        if (size > best.first || (size == best.first && name < best.second)) best = {size, name};
    }
    if (best.second.empty()) return "a file";
    return "a file of it, such as the longest of a compiled program: " +
           (std::filesystem::path(path) / best.second).string();
}

void refuse(const std::string& path, file_kind kind) {
    throw read_error(shown_name(path), std::string(kind_name(kind)), std::string(instead_of(kind)));
}

}  // namespace

std::string read_text(const std::string& path, std::size_t most) {
    std::string bytes = read_bytes(path, most);
    return trace::is_gzip(bytes) ? unpacked(bytes, path, most) : bytes;
}

std::string read_log(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        throw read_error(path, "a folder", "the path of a file with the message, or - for stdin");
    std::string text = read_text(path, max_log_bytes);
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) refuse(path, file_kind::wide_text);
    return text;
}

imported_file read_imported_file(const std::string& path, std::size_t most) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) throw read_error(path, "a folder", instead_of_folder(path));
    imported_file file{path, read_text(path, most)};
    file.kind = imported::recognise(file.text);
    if (!imported::instead_of(file.kind).empty()) refuse(path, file.kind);
    return file;
}

}  // namespace hbm::compare

namespace hbm::imported {

trace::workload read_trace_text(std::string_view text, std::string name, std::string_view device) {
    // All text but profiles is read as a trace, whose error names the header rows that traces have. So is a table with
    // bytes that are no text in a cell behind the first: the error names that cell.
    const std::string_view first = text.substr(0, std::min(text.find('\n'), text.find(',')));
    const bool is_table = !first.empty() && text.substr(first.size()).starts_with(',') && is_text(first);
    if (is_text(text) || is_table) return trace::read_text(text, std::move(name));
    const file_kind kind = recognise(text);
    if (kind == file_kind::profile) return trace_of(read_pprof(text, name), name, device);
    throw trace::read_error(std::move(name), std::string(kind_name(kind)), std::string(instead_of(kind)));
}

trace::workload read_trace(const std::string& path, std::string_view device) {
    return read_trace_text(compare::read_text(path), path, device);
}

}  // namespace hbm::imported
