#pragma once
/// The answer to a question about memory: what every mode but the comparison returns. `show/show_answer.hpp` prints it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::compare {

/// A value of an answer: bytes, a number, or a text. Without any of them it is unknown.
struct answer_value {
    std::optional<std::uint64_t> bytes = {};
    std::optional<std::uint64_t> count = {};
    std::string text = {};  ///< for bytes: the size as it was printed, if that is rounded
};

/// A figure of an answer. Facts are in JSON whatever else is printed.
struct answer_fact {
    std::string_view key;    ///< name in JSON
    std::string label = {};  ///< meaning in words; empty for a fact that is only in JSON
    answer_value value = {};
    bool is_detail = true;  ///< true if the headline has it, or few need it: printed with --details only
};

/// An instruction: a sentence or two, and the flag to set if it is one.
struct answer_remedy {
    std::string text;
    std::string flag = {};    ///< with its dashes; empty without one
    std::string value = {};   ///< value of the flag; empty if the question does not allow one
    bool can_suffice = true;  ///< false if it is too little on its own: such remedies come last
};

/// Rows of an answer.
struct answer_table {
    std::string_view key;  ///< name in JSON
    std::string title;
    std::vector<std::string_view> columns;  ///< names in JSON
    std::vector<std::vector<answer_value>> rows;
    std::size_t most_rows = 3;  ///< rows that are printed without --details
    bool has_names = false;     ///< true if the names of the columns are printed above the rows
};

/// A sentence beside the answer, such as what to bring next; or lines that end with a newline, printed as they are.
struct answer_note {
    std::string text;
    bool is_detail = false;
};

struct answer {
    std::string_view kind;      ///< `message`, `growth`, ...
    std::string headline = {};  ///< what happened, by how much, and what follows: two or three sentences
    std::string place = {};     ///< where that stands: a line, a device; may be empty
    bool is_beside = false;     ///< true if another answer comes first: without --details only its headline is printed
    std::vector<answer_fact> facts = {};
    std::vector<answer_remedy> remedies = {};  ///< the first of them first
    std::vector<answer_table> tables = {};
    std::vector<answer_note> notes = {};
};

}  // namespace hbm::compare
