#pragma once
/// Lines of plain text: tables with aligned columns, and paragraphs.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compare/tables/report.hpp"

namespace hbm::compare {

/// Text with or without colour.
class painter {
public:
    explicit painter(bool coloured) : coloured_(coloured) {}

    [[nodiscard]] std::string heading(std::string_view text) const;
    [[nodiscard]] std::string cell(const table_cell& subject) const;

private:
    [[nodiscard]] std::string paint(std::string_view text, std::string_view colour) const;

    bool coloured_;
};

/// Returns a table: the titles, then the rows. Titles and cells of the first column may have several lines; those of
/// the titles stand at the bottom. Cost: O(columns x rows).
[[nodiscard]] std::string table_lines(const std::vector<table_column>& columns, const painter& brush);

/// Returns `first` and `text`, broken between words into lines of at most `width` characters, at least 40. Further
/// lines begin with as many blanks as `first` has characters. Lines of `text` after its first are not broken. Cost:
/// O(length).
[[nodiscard]] std::string paragraph(std::string_view first, std::string_view text, std::size_t width);

/// Returns the columns in groups that fit `width` if possible, each with the first column. Cost: O(columns x rows).
[[nodiscard]] std::vector<std::vector<table_column>> parts_of(const std::vector<table_column>& columns,
                                                              std::size_t width);

}  // namespace hbm::compare
