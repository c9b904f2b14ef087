#include "compare/read/read_trace.hpp"

#include <utility>

#include "compare/read/csv/read.hpp"
#include "compare/read/file_kind.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/read_error.hpp"

namespace hbm::imported {

namespace {

/// Returns advice on the file to use instead of one of an unsupported kind. Empty for the supported kinds.
std::string_view instead_of(file_kind kind) {
    switch (kind) {
    case file_kind::mlir:
        return "the text of the compiled program: print compiled.as_text() in place of lowered.as_text(), or set "
               "XLA_FLAGS=--xla_dump_to=FOLDER and bring the *after_optimizations.txt";
    case file_kind::packed:
        return "a file that is not compressed, or compressed with gzip: unpack it first (xz -d, zstd -d, bunzip2)";
    case file_kind::zip: return "what is in it: unpack it first (unzip)";
    case file_kind::snapshot: return "a trace, which examples/snapshot_to_trace.py makes of it";
    case file_kind::wide_text: return "text in UTF-8: iconv -f UTF-16 -t UTF-8 FILE";
    case file_kind::binary:
        return "text: a trace, a log, or the *-buffer-assignment.txt that "
               "XLA_FLAGS=\"--xla_dump_to=FOLDER --xla_dump_hlo_as_text\" writes";
    case file_kind::report:
    case file_kind::config: return "the *-buffer-assignment.txt of the same program, which the same dump has";
    case file_kind::hlo_proto:
        return "its text: set XLA_FLAGS=\"--xla_dump_to=FOLDER --xla_dump_hlo_as_text\" and bring the "
               "*-buffer-assignment.txt";
    case file_kind::xplane:
        return "what the program wrote itself: jax.profiler.save_device_memory_profile(\"memory.prof\"), or a log of "
               "memory_stats() for --growth";
    case file_kind::empty:
    case file_kind::unknown:
        return "an HLO module, a buffer assignment, an out-of-memory message or a device "
               "memory profile of JAX";
    default: return {};
    }
}

/// Returns true for a first byte with which the grammars of traces can begin: printable, a blank, or a byte order mark.
/// That saves a look through a long text. A profile begins with a line end.
bool is_text(std::string_view text) {
    for (const std::string_view magic : {"PK\x03\x04", "BZh"})
        if (text.starts_with(magic)) return false;
    if (text.empty()) return true;
    const auto first = static_cast<unsigned char>(text.front());
    return (first >= 0x20 && first < 0x7f) || first == '\t' || first == '\r' || text.starts_with("\xEF\xBB\xBF");
}

}  // namespace

trace::read_result read_trace_text(std::string_view text, std::string name, std::string_view device) {
    const file_kind kind = is_text(text) ? file_kind::unknown : recognise(text);
    switch (kind) {
    case file_kind::profile: {
        const reading<memory_profile> profile = read_pprof(text, name);
        if (!profile) return profile.error();
        return trace_of(*profile, std::move(name), device);
    }
    case file_kind::hlo_proto:
    case file_kind::xplane:
    case file_kind::snapshot:
    case file_kind::packed:
    case file_kind::zip:
    case file_kind::wide_text:
    case file_kind::binary:
        return trace::read_error{std::move(name), 0, 0, std::string(kind_name(kind)), std::string(instead_of(kind))};
    default: return trace::read_text(text, std::move(name));
    }
}

trace::read_result read_trace(const std::string& path, std::string_view device) {
    trace::text_file file;
    trace::read_error error;
    if (!file.open(path, error)) return error;
    if (is_text(file.head())) return trace::read_text(file, path);
    std::string text;
    if (!file.read_all(text, error)) return error;
    return read_trace_text(text, path, device);
}

}  // namespace hbm::imported

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "compare/text/gzip.hpp"

namespace hbm::compare {

namespace {

using imported::file_kind;

/// Unpacks gzip data. Returns false, and sets the error, if that fails.
bool unpack(imported_file& file, std::string_view packed, std::size_t most, trace::read_error& error) {
    most = std::min(most, trace::most_unpacked(packed.size()));
    const trace::unpacking outcome = trace::gunzip(packed, file.text, most);
    if (outcome != trace::unpacking::done) error = error_of(outcome, file.path, most, "a dump or profile");
    return outcome == trace::unpacking::done;
}

/// Returns advice on the file of a folder to use instead: in an XLA dump the longest of a compiled program. The result
/// does not depend on the order of the listing.
std::string instead_of_folder(const std::string& path) {
    std::string best;
    std::uintmax_t most = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.find("after_optimizations") == std::string::npos) continue;
        std::error_code unknown;
        const std::uintmax_t size = at->file_size(unknown);
        if (unknown || size < most || (size == most && name > best)) continue;
        most = size;
        best = name;
    }
    if (best.empty()) return "a file";
    return "a file of it, such as the longest of a compiled program: " + (std::filesystem::path(path) / best).string();
}

}  // namespace

imported::reading<imported_file> read_imported_file(const std::string& path, std::size_t most) {
    imported_file file;
    file.path = path;
    std::error_code status_error;
    if (std::filesystem::is_directory(path, status_error))
        return trace::read_error{path, 0, 0, "a folder", instead_of_folder(path)};
    std::vector<char> bytes;
    trace::read_error error;
    if (!trace::read_bytes(path, bytes, error)) return error;
    const std::string_view raw(bytes.data(), bytes.size());
    if (trace::is_gzip(raw)) {
        if (!unpack(file, raw, most, error)) return error;
    } else {
        file.text = raw;
    }
    file.kind = imported::recognise(file.text);
    if (const std::string_view expected = imported::instead_of(file.kind); !expected.empty())
        return trace::read_error{path, 0, 0, std::string(imported::kind_name(file.kind)), std::string(expected)};
    return file;
}

}  // namespace hbm::compare
