#pragma once
// Reads a trace in any of the known grammars, which its header row tells apart.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/text/unpacking.hpp"

namespace hbm::trace {

/// The type of a function that unpacks a gzip file and says how that ended, as `gunzip` of gzip.hpp.
using decompressor = unpacking(const std::vector<char>& packed, std::string& unpacked);

/// Reads a trace in this project's grammar, a MiniMalloc instance or an RMM log. `name` appears in messages and becomes
/// the workload's name. An invalid text gives an error and no workload. O(size); MiniMalloc O(n log n).
read_result read_text(std::string_view text, std::string name);

/// Notices while a text is read that it never ends: a byte of zero in it, as devices have, or a line without end.
class endless_text {
public:
    static constexpr std::size_t longest_line = std::size_t{256} << 20U;

    /// Looks at `bytes`, of which those from `from` on are new. What is packed or pickled is no text, and neither is
    /// UTF-16. False, and sets the error, if it is a text that is wrong. O(new bytes).
    bool look(const std::string& path, std::string_view bytes, std::size_t from, read_error& error) {
        constexpr std::string_view no_text = "\x1f\x80\x0a\xff\xfe\xfdP(B";  // of gzip, pickles, profiles and others
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
    std::size_t begin_ = 0;  // of that line
};

/// Reads a whole file into `bytes`; false, with the reason in `error`, when that fails. What has no size, such as a
/// pipe or a device, is read up to 1 GiB; of a text it is noticed early that it has no end.
bool read_bytes(const std::string& path, std::vector<char>& bytes, read_error& error);

/// Reads a whole file into `text`, and unpacks it if its first bytes are those of gzip; false, with the reason in
/// `error`, when that fails.
bool read_unpacked(const std::string& path, decompressor* unpack, std::string& text, read_error& error);

/// Reads a trace file; see `read_text`. A gzip file is recognised by its first bytes and needs a decompressor.
read_result read_file(const std::string& path, decompressor* unpack = nullptr);

}  // namespace hbm::trace
