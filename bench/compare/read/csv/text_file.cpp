#include "compare/read/csv/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

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

/// Returns what was read of pipes so far, by path: their bytes come once, while some answers read a file again.
std::map<std::string, std::vector<char>>& known_pipes() {
    static std::map<std::string, std::vector<char>> all;
    return all;
}

}  // namespace

bool read_bytes(const std::string& path, std::vector<char>& bytes, read_error& error) {
    const auto refuse = [&](int reason) {
        error = {path, 0, 0, "", std::strerror(reason)};
        return false;
    };
    if (const auto known = known_pipes().find(path); known != known_pipes().end()) {
        bytes = known->second;
        return true;
    }
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
    if (!is_right || (reason != 0 && !refuse(reason))) return false;
    std::error_code unknown;
    if (std::filesystem::is_fifo(path, unknown)) known_pipes().emplace(path, bytes);
    return true;
}

bool text_file::open(const std::string& path, read_error& error) {
    path_ = path;
    std::error_code unknown;
    const bool is_file = std::filesystem::is_regular_file(path, unknown);
    if (!is_file || std::filesystem::file_size(path, unknown) == 0) return read_whole(error);
    errno = 0;
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (file_ == nullptr) reason_ = errno;
    rest_ = [this](char* target, std::size_t most) {
        errno = 0;
        const std::size_t got = std::fread(target, 1, most, file_.get());
        if (got < most && std::ferror(file_.get()) != 0) reason_ = errno;
        return got;
    };
    if (file_ != nullptr) begin();
    if (has_failed(error)) return false;
    return !is_gzip(head_) || read_whole(error);
}

portions text_file::content() {
    return [this](char* target, std::size_t most) {
        if (given_ == head_.size()) return rest_(target, most);
        const std::size_t length = head_.copy(target, most, given_);
        given_ += length;
        return length;
    };
}

bool text_file::read_all(std::string& text, read_error& error) {
    const portions all = content();
    constexpr std::size_t portion = std::size_t{1} << 20U;
    text.clear();
    for (std::size_t size = 0, got = portion; got != 0; size += got) {
        text.resize(size + portion);
        got = all(text.data() + size, portion);
        text.resize(size + got);
    }
    return !has_failed(error);
}

bool text_file::has_failed(read_error& error) const {
    if (reason_ != 0) error = {path_, 0, 0, "", std::strerror(reason_)};
    return reason_ != 0;
}

bool text_file::read_whole(read_error& error) {
    if (!read_bytes(path_, bytes_, error)) return false;
    const std::string_view whole(bytes_.data(), bytes_.size());
    if (is_gzip(whole)) {
        const std::size_t most = most_unpacked(whole.size());
        std::size_t size = 0;
        const unpacking outcome = gunzip(whole, most, rest_, size);
        if (outcome != unpacking::done) {
            error = error_of(outcome, path_, most, "a trace or a log");
            return false;
        }
    } else {
        rest_ = [this, at = std::size_t{0}](char* target, std::size_t most) mutable {
            const std::size_t length = std::min(most, bytes_.size() - at);
            std::copy_n(bytes_.data() + at, length, target);
            at += length;
            return length;
        };
    }
    begin();
    return true;
}

void text_file::begin() {
    constexpr std::size_t most = 65536;
    head_.resize(most);
    head_.resize(rest_(head_.data(), most));
}

bool read_unpacked(const std::string& path, std::string& text, read_error& error) {
    text_file file;
    return file.open(path, error) && file.read_all(text, error);
}

}  // namespace hbm::trace
