#pragma once
/// The outputs of a comparison: the result, and further files.

#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/options.hpp"
#include "compare/export/viewers.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Outputs of a command line. They are opened before the comparison, to find unwritable paths at once.
class outputs {
public:
    /// Opens the files of the command line. Throws `usage_error`.
    explicit outputs(const options& asked);

    /// Writes everything. Further files come before the result, so that they exist when the result does. After an
    /// interrupt the outputs begin with `cut` if their format allows it. Throws `run_error`.
    void write(const std::vector<comparison>& all, const selection& who, const std::optional<partial_result>& cut = {});

private:
    void write_explanations(const std::vector<comparison>& all, const selection& who,
                            const std::optional<partial_result>& cut);

    const options& asked_;
    destination result_;
    destination explanations_;
    destination page_;
    viewer_files viewers_;
};

/// Returns the text of --format. After an interrupt, it begins with `cut`, except in CSV.
[[nodiscard]] std::string result_text(const options& settings, const std::vector<comparison>& all,
                                      const selection& chosen, const std::optional<partial_result>& cut = {});

}  // namespace hbm::compare
