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

/// The outputs of a command line. They are opened before anything is compared, so that a path that cannot be written is
/// found at once.
class outputs {
public:
    explicit outputs(const options& asked) : asked_(asked) {}

    /// Opens what the command line names. Returns an error message, or an empty text.
    [[nodiscard]] std::string open(const selection& who, std::size_t workloads);

    /// Writes everything. Files beside the result come before it, so that they exist when the result does. After an
    /// interrupt the figures for a later check are not written, and the others say `cut` first, as far as they have a
    /// place for it. Returns the status of the run.
    [[nodiscard]] int write(const std::vector<comparison>& all, const selection& who,
                            const std::optional<partial_result>& cut = {});

private:
    [[nodiscard]] int write_beside(const std::vector<comparison>& all, const selection& who,
                                   const std::optional<partial_result>& cut);
    [[nodiscard]] int write_explanations(const std::vector<comparison>& all, const selection& who,
                                         const std::optional<partial_result>& cut);

    const options& asked_;
    destination result_;
    destination explanations_;
    destination saved_;
    destination page_;
    viewer_files viewers_;
};

}  // namespace hbm::compare
