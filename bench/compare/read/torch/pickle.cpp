#include "compare/read/torch/pickle.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// Reader of a pickle. Cost: O(size of the text), without recursion.
class pickle_reader {
public:
    /// Reads from `text`, which must outlive the reader and the data; `file` is for messages.
    pickle_reader(std::string_view text, std::string file)
        : input_(text), file_(std::move(file)), memory_left_(most_memory(text.size())) {}

    /// Returns the data, or the first error.
    reading<pickle_data> read() {
        if (!input_.begins_pickle())
            return trace::read_error{file_, 0, 0, "no pickle of protocol 2 to 5 at byte 0",
                                     "what torch.cuda.memory._dump_snapshot writes"};
        while (!stopped_) {
            began_ = input_.at();
            std::uint64_t code = 0;
            if (!number(1, code) || !step(static_cast<unsigned char>(code))) return std::move(error_);
        }
        return std::move(made_);
    }

private:
    using kind = pickle_value::kind;

    /// Returns the limit on the memory of a pickle: a file of plain data needs less than 16 times its size.
    static constexpr std::size_t most_memory(std::size_t size) noexcept {
        constexpr std::size_t least = std::size_t{64} << 20U;
        return size > (~std::size_t{0} - least) / 16 ? ~std::size_t{0} : 16 * size + least;
    }

    bool step(unsigned char code) {
        switch (code) {
        case 0x80:  // PROTO
            return skip(1);
        case 0x95:  // FRAME: length of a frame
            return skip(8);
        case '.': return stop();
        case '(': return spend(sizeof(std::size_t)) && (marks_.push_back(stack_.size()), true);
        case 0x94:  // MEMOIZE
            return store(memo_.size());
        case 'q': return store_numbered(1);
        case 'r': return store_numbered(4);
        case 'h': return recall(1);
        case 'j': return recall(4);
        case 'N': return push({});
        case 0x88: return push_integer(kind::truth, 1);
        case 0x89: return push_integer(kind::truth, 0);
        case 'K': return read_integer(1, false);
        case 'M': return read_integer(2, false);
        case 'J': return read_integer(4, true);
        case 0x8a: return read_long();
        case 'G': return read_real();
        case 0x8c: return read_text(1);
        case 'X': return read_text(4);
        case 0x8d: return read_text(8);
        case ']':
        case '}':
        case ')': return push_container(code == ']' ? kind::list : code == '}' ? kind::dictionary : kind::tuple, 0);
        case 'a': return append(kind::list, 1);
        case 's': return append(kind::dictionary, 2);
        case 'e':
        case 'u': return append_to_mark(code == 'e' ? kind::list : kind::dictionary);
        case 0x85:
        case 0x86:
        case 0x87: return push_container(kind::tuple, code - 0x84U);
        case 'l':
        case 'd':
        case 't': return gather(code == 'l' ? kind::list : code == 'd' ? kind::dictionary : kind::tuple);
        default: return refuse(code);
        }
    }

    bool refuse(unsigned char code) {
        // GLOBAL, STACK_GLOBAL, REDUCE, BUILD, INST, OBJ, NEWOBJ, NEWOBJ_EX, EXT1, EXT2, EXT4, PERSID, BINPERSID.
        constexpr std::string_view calling = "c\x93Rbio\x81\x92\x82\x83\x84PQ";
        constexpr std::string_view digits = "0123456789abcdef";
        const std::string hex = std::string("0x") + digits[code >> 4U] + digits[code & 15U];
        if (calling.find(static_cast<char>(code)) != std::string_view::npos)
            return fail("an object that is more than plain data (opcode " + hex + ")",
                        "dictionaries, lists, texts and numbers only: nothing in the file is called");
        return fail("opcode " + hex, "an opcode of plain data");
    }

    bool fail(const std::string& match, std::string expected = "a whole pickle") {
        error_ = {file_, 0, 0, match + " at byte " + trace::decimal(began_), std::move(expected)};
        return false;
    }

    bool cut() { return fail("the end in the middle of an opcode"); }

    bool skip(std::size_t size) { return input_.skip(size) || cut(); }

    /// Reads an unsigned number with the least byte first.
    bool number(std::size_t size, std::uint64_t& value) { return input_.number(size, value) || cut(); }

    /// Counts memory for the next values.
    bool spend(std::size_t bytes) {
        if (bytes > memory_left_)
            return fail("data that needs too much memory", "at most 64 MiB and 16 times the size of the file");
        memory_left_ -= bytes;
        return true;
    }

    bool push(const pickle_value& value) {
        if (stack_.size() == stack_.capacity() && !spend((stack_.size() + 16) * sizeof(pickle_value))) return false;
        stack_.push_back(value);
        return true;
    }

    bool push_integer(kind what, std::int64_t value) {
        pickle_value result;
        result.what = what;
        result.integer = value;
        return push(result);
    }

    bool read_integer(std::size_t size, bool is_signed) {
        std::uint64_t value = 0;
        if (!number(size, value)) return false;
        const auto narrow = static_cast<std::uint32_t>(value);
        return push_integer(kind::integer,
                            is_signed ? std::int64_t{static_cast<std::int32_t>(narrow)} : std::int64_t{narrow});
    }

    bool read_long() {
        std::uint64_t size = 0;
        std::uint64_t value = 0;
        if (!number(1, size)) return false;
        if (size > 8) return fail("a number of more than 8 bytes", "numbers from -2^63 to 2^63-1");
        if (!number(static_cast<std::size_t>(size), value)) return false;
        // Two's complement: the highest bit that is there is the sign.
        if (size != 0 && size != 8 && (value >> (8 * size - 1)) != 0) value |= ~std::uint64_t{0} << (8 * size);
        return push_integer(kind::integer, static_cast<std::int64_t>(value));
    }

    bool read_real() {
        pickle_value result;
        result.what = kind::real;
        return input_.real(result.real) ? push(result) : cut();
    }

    bool read_text(std::size_t size) {
        std::uint64_t length = 0;
        if (!number(size, length)) return false;
        pickle_value result;
        result.what = kind::text;
        result.length = static_cast<std::uint32_t>(length);
        result.first = input_.here();
        if (!input_.skip(length)) return fail("a text that is longer than the file");
        if (length > 0xffffffffU) return fail("a text of more than 4 GiB", "shorter texts");
        return push(result);
    }

    /// Returns the number of values above the last mark, or of all values without a mark.
    [[nodiscard]] std::size_t above_mark() const noexcept {
        return stack_.size() - (marks_.empty() ? 0 : marks_.back());
    }

    bool need(std::size_t values) { return above_mark() >= values || fail("an opcode for values that are not there"); }

    /// Makes a container of the last values.
    bool push_container(kind what, std::size_t values) {
        if (!need(values) || !spend(sizeof(made_.contents[0]) * 2 + values * sizeof(pickle_value))) return false;
        if (what == kind::dictionary && values % 2 != 0) return fail("a key without a value");
        pickle_value result;
        result.what = what;
        result.content = made_.contents.size();
        made_.contents.emplace_back(stack_.end() - static_cast<std::ptrdiff_t>(values), stack_.end());
        stack_.resize(stack_.size() - values);
        return push(result);
    }

    /// Makes a container of the values above the last mark.
    bool gather(kind what) {
        if (marks_.empty()) return fail("an opcode for values above a mark that is not there");
        const std::size_t values = above_mark();
        marks_.pop_back();
        return push_container(what, values);
    }

    /// Moves the last values into the container below them.
    bool append(kind what, std::size_t values) {
        if (!need(values + 1)) return false;
        const pickle_value& below = stack_[stack_.size() - values - 1];
        if (below.what != what) return fail("an opcode for a list or dictionary that is not there");
        if (what == kind::dictionary && values % 2 != 0) return fail("a key without a value");
        std::vector<pickle_value>& target = made_.contents[below.content];
        if (target.capacity() - target.size() < values) {
            // A vector that grows copies before it frees: both copies count.
            const std::size_t wanted = target.size() + values;
            if (!spend((wanted > 2 * target.size() ? wanted : 2 * target.size()) * sizeof(pickle_value))) return false;
        }
        target.insert(target.end(), stack_.end() - static_cast<std::ptrdiff_t>(values), stack_.end());
        stack_.resize(stack_.size() - values);
        return true;
    }

    bool append_to_mark(kind what) {
        if (marks_.empty()) return fail("an opcode for values above a mark that is not there");
        const std::size_t values = above_mark();
        marks_.pop_back();
        return append(what, values);
    }

    bool store(std::uint64_t index) {
        if (!need(1)) return false;
        // Pickles number shared values in order, and contain fewer of them than bytes.
        if (index > input_.at())
            return fail("a value to remember under number " + trace::decimal(index), "a smaller number");
        const auto number = static_cast<std::size_t>(index);
        if (number >= memo_.size()) {
            if (number >= memo_.capacity() && !spend((2 * number + 16) * sizeof(remembered))) return false;
            memo_.resize(number + 1);
        }
        memo_[number] = {stack_.back(), true};
        return true;
    }

    bool store_numbered(std::size_t size) {
        std::uint64_t index = 0;
        return number(size, index) && store(index);
    }

    bool recall(std::size_t size) {
        std::uint64_t index = 0;
        if (!number(size, index)) return false;
        if (index >= memo_.size() || !memo_[static_cast<std::size_t>(index)].is_set)
            return fail("value number " + trace::decimal(index) + ", which nothing was remembered under");
        return push(memo_[static_cast<std::size_t>(index)].value);
    }

    bool stop() {
        if (!need(1)) return false;
        made_.root = stack_.back();
        stopped_ = true;
        return true;
    }

    /// A value that the pickle refers to by number.
    struct remembered {
        pickle_value value;
        bool is_set = false;
    };

    pickle_input input_;
    std::string file_;
    std::size_t memory_left_;
    std::size_t began_ = 0;  // start of the current opcode
    bool stopped_ = false;
    pickle_data made_;
    std::vector<pickle_value> stack_;
    std::vector<std::size_t> marks_;
    std::vector<remembered> memo_;
    trace::read_error error_;
};

}  // namespace

reading<pickle_data> read_pickle(std::string_view text, std::string file) {
    return pickle_reader(text, std::move(file)).read();
}

bool pickle_input::begins_pickle() const noexcept {
    return text_.size() > 1 && text_[0] == '\x80' && text_[1] >= 2 && text_[1] <= 5;
}

bool pickle_input::skip(std::uint64_t size) noexcept {
    if (text_.size() - at_ < size) return false;
    at_ += static_cast<std::size_t>(size);
    return true;
}

bool pickle_input::number(std::size_t size, std::uint64_t& value) noexcept {
    if (text_.size() - at_ < size) return false;
    value = 0;
    for (std::size_t byte = 0; byte < size; ++byte) value |= std::uint64_t{byte_at(at_ + byte)} << (8 * byte);
    at_ += size;
    return true;
}

bool pickle_input::real(double& value) noexcept {
    if (text_.size() - at_ < 8) return false;
    std::uint64_t bits = 0;
    for (int byte = 0; byte < 8; ++byte) bits = bits << 8U | byte_at(at_++);
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    return true;
}

}  // namespace hbm::imported
