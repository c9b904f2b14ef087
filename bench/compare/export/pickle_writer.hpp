#pragma once

/// Writes values as Python's pickle does, protocol 2 (PEP 307): dictionaries, lists, texts and numbers, without
/// classes. Uses only opcodes that the viewer of PyTorch's memory snapshots supports.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "compare/export/viewer_file.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

/// The caller alternates keys and values in dictionaries, and ends what it begins.
class pickle_writer {
public:
    /// Number of a value that was kept, to write it again.
    using kept = std::uint32_t;

    explicit pickle_writer(text_sink& out) : out_(&out) { out.add(std::string_view("\x80\x02", 2)); }

    void begin_dictionary() { out_->add("}("); }
    void end_dictionary() { out_->add('u'); }
    /// Begins a list. Its items stand in portions; the reader's stack holds a portion at a time.
    void begin_list() { out_->add("]("); }
    void next_portion() { out_->add("e("); }
    void end_list() { out_->add('e'); }
    /// The least number of items after which a new portion should begin.
    static constexpr std::uint32_t portion = 1000;
    /// Ends a tuple of two.
    void end_pair() { out_->add('\x86'); }

    /// Writes a text that stands many times: a key of dictionaries, an action.
    void word(std::string_view text) {
        const auto [at, is_new] = words_.try_emplace(text, 0);
        if (!is_new) return again(at->second);
        this->text(text);
        at->second = keep();
    }
    void text(std::string_view text) {
        const std::string valid = valid_text(text);
        out_->add('X');
        little_endian(valid.size(), 4);
        out_->add(valid);
    }
    void number(std::uint64_t value) {
        if (value < 0x100) return with_bytes('K', value, 1);
        if (value < 0x10000) return with_bytes('M', value, 2);
        if (value < 0x80000000) return with_bytes('J', value, 4);
        const bool has_top_bit = value >> 63U != 0;  // it would read as a sign
        out_->add('\x8a');
        out_->add(has_top_bit ? '\x09' : '\x08');
        little_endian(value, 8);
        if (has_top_bit) out_->add('\0');
    }
    void truth(bool value) { out_->add(value ? '\x88' : '\x89'); }
    /// Ends the pickle.
    void stop() { out_->add('.'); }

    /// Keeps the value that was written last.
    kept keep() {
        with_index('q', 'r', kept_);
        return kept_++;
    }
    /// Writes a value again, as the same object.
    void again(kept value) { with_index('h', 'j', value); }

private:
    void with_index(char narrow, char wide, std::uint64_t index) {
        if (index < 0x100) return with_bytes(narrow, index, 1);
        with_bytes(wide, index, 4);
    }
    void with_bytes(char opcode, std::uint64_t value, unsigned bytes) {
        out_->add(opcode);
        little_endian(value, bytes);
    }
    void little_endian(std::uint64_t value, unsigned bytes) {
        for (; bytes != 0; --bytes, value >>= 8U) out_->add(static_cast<char>(value & 0xffU));
    }

    text_sink* out_;
    std::map<std::string_view, kept> words_;  // numbers of texts that are never freed
    kept kept_ = 0;
};

}  // namespace hbm::compare
