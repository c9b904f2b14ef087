#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/csv/table.hpp"
#include "compare/replay/row_failure.hpp"
#include "compare/replay/workload.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/token_list.hpp"

namespace hbm::trace {

namespace {

/// Reader of the rows; see `read_minimalloc_rows`.
class minimalloc_reader {
public:
    /// Reads from this table, which must outlive the reader.
    explicit minimalloc_reader(table& rows) : rows_(rows), builder_(rows.file()) {}

    /// Returns the workload, or the first error.
    read_result read() {
        static constexpr std::array<std::string_view, 5> names{"id", "lower", "upper", "size", "offset"};
        if (!rows_.read_all(names, names.size() - 1, [&] { return read_row(); })) return rows_.error();
        return replay();
    }

private:
    enum column : std::size_t { id_, lower_, upper_, size_ };

    struct lifetime {
        std::uint64_t bytes = 0;
        std::size_t line = 0;
        std::size_t column = 0;  // column of the id
    };

    struct moment {
        std::uint64_t time = 0;
        bool begins = false;
        std::size_t buffer = 0;

        friend bool operator<(const moment& left, const moment& right) {
            if (left.time != right.time) return left.time < right.time;
            if (left.begins != right.begins) return !left.begins;
            return left.buffer < right.buffer;
        }
    };

    bool read_row() {
        std::uint64_t lower = 0;
        std::uint64_t upper = 0;
        lifetime read;
        if (!rows_.number(lower_, "a time", lower) || !rows_.number(upper_, "a time", upper) ||
            !rows_.number(size_, "bytes", read.bytes)) {
            return false;
        }
        if (upper < lower) return rows_.wrong(upper_, "an upper time that is not below the lower one");
        const std::string_view name = rows_.cell(id_);
        read.line = rows_.line();
        read.column = rows_.column_of_cell(id_);
        // Checked here, so that it is checked for empty lifetimes, too.
        if (name.empty()) return rows_.wrong(id_, "an id");
        if (lower == upper) return true;
        moments_.push_back({lower, true, lifetimes_.size()});
        moments_.push_back({upper, false, lifetimes_.size()});
        lifetimes_.push_back(read);
        names_.push_back(name);
        return true;
    }

    read_result replay() {
        std::sort(moments_.begin(), moments_.end());
        for (const moment& entry : moments_) {
            const lifetime& buffer = lifetimes_[entry.buffer];
            builder_.at_line(buffer.line);
            row_failure problem = builder_.at_time(entry.time);
            if (problem.ok()) {
                const std::string_view name = names_[entry.buffer];
                problem = entry.begins ? builder_.alloc(name, buffer.bytes) : builder_.free(name, buffer.bytes);
            }
            if (!problem.ok()) {
                return read_error{rows_.file(), buffer.line, buffer.column, problem.found,
                                  problem.expected};
            }
        }
        return std::move(builder_).finish();
    }

    table& rows_;
    workload_builder builder_;
    std::vector<lifetime> lifetimes_;
    token_list names_;  // ids of the lifetimes
    std::vector<moment> moments_;
};

}  // namespace

read_result read_minimalloc_rows(table& rows) {
    return minimalloc_reader(rows).read();
}

}  // namespace hbm::trace
