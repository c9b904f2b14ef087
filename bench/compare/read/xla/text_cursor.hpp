#pragma once
// Cursors over texts of XLA: modules and buffer assignments.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// Position of a leaf in nested tuples: {1, 0} is the first part of the second part. Empty if the value is not a tuple.
using index_path = std::vector<std::uint64_t>;

/// Limit on the depth of tuples: above that of any program.
inline constexpr std::size_t max_tuple_depth = 16;

/// What a cursor throws where its text is wrong. Readers catch it, and know the file and the line.
struct text_mistake {
    std::size_t at = 0;  ///< byte of the text, from 0
    std::string expected;
};

/// Position in a text. Steps return false if they are not possible, and then do not move it; `take` and `expect` throw
/// a `text_mistake` instead. No step recurses, so that no nesting exhausts the stack.
class text_cursor {
public:
    /// Constructs a cursor at the byte `at` of the text, which must outlive the cursor.
    explicit text_cursor(std::string_view text, std::size_t at = 0) noexcept : text_(text), at_(at) {}

    /// Returns the byte that comes next, from 0.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Returns true if the text is at its end.
    [[nodiscard]] bool done() const noexcept { return at_ >= text_.size(); }
    /// Returns the next character; 0 at the end.
    [[nodiscard]] char next() const noexcept { return done() ? '\0' : text_[at_]; }
    /// Returns the text from here on.
    [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }
    /// Returns the text from `begin` to here.
    [[nodiscard]] std::string_view since(std::size_t begin) const noexcept { return text_.substr(begin, at_ - begin); }

    /// Goes to a byte of the text.
    void go_to(std::size_t at) noexcept { at_ = at; }
    /// Steps over blanks, ends of lines and comments such as /*index=5*/.
    void skip_blanks() noexcept;
    /// Steps over `words` if they come next.
    bool accept(std::string_view words) noexcept;
    /// Steps over an unsigned decimal number below 2^64.
    bool number(std::uint64_t& value) noexcept;
    /// Steps to the next of these characters and returns the text before it.
    bool until(std::string_view any_of, std::string_view& before) noexcept;
    /// Steps over letters, digits and underscores, and returns them; empty if none comes next.
    std::string_view word() noexcept;
    /// Steps over the index of an array in a tuple, with at most `max_tuple_depth` numbers: `{1,0}` or `{1, 0}` for the
    /// first array of the second element, `{}` outside of a tuple.
    bool index(index_path& target);
    /// Steps over a text in double quotes.
    bool skip_quotes() noexcept;
    /// Steps over brackets of any kind and all between them; brackets in quotes do not count.
    bool skip_brackets() noexcept;

    /// Throws that something else was expected here.
    [[noreturn]] void fail(std::string expected) const { throw text_mistake{at_, std::move(expected)}; }
    /// Steps over `words`; `meaning` is expected.
    void expect(std::string_view words, const char* meaning);
    /// Steps over a number, and returns it.
    std::uint64_t take_number(const char* meaning);
    /// Steps over an index, and returns it.
    index_path take_index(const char* meaning);

private:
    bool go_back(std::size_t begin) noexcept;

    std::string_view text_;
    std::size_t at_;
};

/// Cursor over the lines of a text. Ends of lines are LF or CRLF and belong to no line.
class text_lines {
public:
    /// Constructs a cursor before the first line. The text must outlive the cursor and the lines.
    explicit text_lines(std::string_view text) noexcept : rest_(text) {}

    /// Steps to the next line; returns false at the end of the text.
    bool next() noexcept;
    /// Returns the line.
    [[nodiscard]] std::string_view line() const noexcept { return line_; }
    /// Returns the number of the line, from 1; 0 before the first.
    [[nodiscard]] std::size_t number() const noexcept { return number_; }
    /// Returns true if the line has an end. The last line of a truncated file has none.
    [[nodiscard]] bool is_ended() const noexcept { return is_ended_; }

private:
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
    bool is_ended_ = false;
};

/// Removes the index that ends a text, and returns it: `fusion.5{1}` becomes `fusion.5`, as does `fusion.5 {1}`.
/// Empty if there is none.
std::optional<index_path> cut_index(std::string_view& text);

/// Returns an index as XLA prints it: `{1,0}`.
std::string index_words(const index_path& index);

}  // namespace hbm::imported
