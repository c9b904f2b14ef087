#pragma once
// A file of text that is read in portions.

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/text/gzip.hpp"

namespace hbm::trace {

/// File that is read once, from its beginning to its end, and unpacked if it begins like gzip. Of a file with a size,
/// memory holds a portion, and of a packed one all that is packed. Others are read whole, as by `read_bytes`.
class text_file {
public:
    text_file() = default;
    text_file(const text_file&) = delete;
    text_file& operator=(const text_file&) = delete;

    /// Opens a file, and reads its first portion. Returns false, with `error`, if that fails.
    [[nodiscard]] bool open(const std::string& path, read_error& error);

    /// Returns the first bytes of the text; they are empty only if all of it is.
    [[nodiscard]] std::string_view head() const noexcept { return head_; }

    /// Returns the source of the text, from its first byte on. The file must outlive it.
    [[nodiscard]] portions content();

    /// Reads all of the text. Returns false, with `error`, if that fails.
    [[nodiscard]] bool read_all(std::string& text, read_error& error);

    /// Returns true, with `error`, if the file could not be read to its end.
    [[nodiscard]] bool has_failed(read_error& error) const;

private:
    struct closing {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    // Reads the bytes of a file whole.
    bool read_whole(read_error& error);

    // Fills the head.
    void begin();

    std::string path_;
    std::unique_ptr<std::FILE, closing> file_;
    std::vector<char> bytes_;  // a file that was read whole
    portions rest_;            // what comes after the head
    std::string head_;
    std::size_t given_ = 0;  // bytes of the head that `content()` returned
    int reason_ = 0;         // number of the error of reading
};

/// Reads a whole file into `bytes`; returns false, with `error`, if that fails. Files without a size, such as pipes or
/// devices, are read up to 1 GiB; endless text is detected early. What a pipe gave is kept for further calls.
bool read_bytes(const std::string& path, std::vector<char>& bytes, read_error& error);

/// Reads a whole file into `text`, and unpacks it if it begins like gzip. Returns false, with `error`, if that fails.
bool read_unpacked(const std::string& path, std::string& text, read_error& error);

}  // namespace hbm::trace
