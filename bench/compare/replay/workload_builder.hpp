#pragma once
// Builds workloads and checks that rows are valid. All readers and generators use it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/replay/row_failure.hpp"
#include "compare/replay/workload.hpp"
#include "compare/text/token_table.hpp"

namespace hbm::trace {

/// Sizes and reload cost of a program.
struct program_size {
    std::uint64_t code = 0;                 ///< code and constants, bytes
    std::uint64_t scratch = 0;              ///< bytes
    std::uint64_t reload_us = unspecified;  ///< cost of loading again, microseconds
};

/// Output of a run: a new buffer.
struct named_size {
    std::string_view name;    ///< id of the buffer
    std::uint64_t bytes = 0;  ///< size of the buffer
};

/// Buffers of a run.
struct run_operands {
    std::span<const std::string_view> inputs;   ///< live buffers; a buffer may be listed several times
    std::span<const std::string_view> donated;  ///< live buffers that end here; each once, none of them an input
    std::span<const named_size> outputs;        ///< new buffers, which begin after the donated buffers ended
};

/// Builder of a workload, row by row, which rejects invalid rows. A rejected row changes nothing.
///
/// Rules beyond the grammar:
/// - Buffers and programs have different ids. The id of a buffer may be used again after the buffer ended. The id of a
///   program is always that of a program, loaded or not.
/// - A pinned buffer may be freed or donated: its id ends at once, and the manager keeps the memory as long as
///   necessary. Pins are counted: two pins need two unpins.
/// - Traces contain no evictions. So a loaded program may be loaded again with the same bytes and scratch, and a run of
///   an unloaded program loads it.
/// - An output may take the id of a buffer that the same run donates.
/// - An imported buffer is pinned once, as `manager::import` pins it, until an unpin.
///
/// Ids of many ended buffers are forgotten: such an id gets another number when it is used again.
///
/// Cost: O(1) a row on average for each of its ids.
class workload_builder {
public:
    /// Starts a workload of that name.
    explicit workload_builder(std::string name = {}) { made_.name = std::move(name); }

    /// Sets the line of the next rows, counted from 1. Requires: a call for every row or for none.
    void at_line(std::size_t line) { line_ = line; }

    /// Sets the time of the rows that follow, in microseconds; it must not decrease. Earlier rows without a time have
    /// 0.
    [[nodiscard]] row_failure at_time(std::uint64_t microseconds);

    /// Adds an allocation of a new buffer; 0 bytes are valid and occupy a quantum.
    [[nodiscard]] row_failure alloc(std::string_view name, std::uint64_t bytes, std::string_view tag = {});

    /// Adds an import: a new buffer at a given offset, in bytes. It is pinned once.
    [[nodiscard]] row_failure import_at(std::string_view name, std::uint64_t bytes, std::uint64_t offset,
                                        std::string_view tag = {});

    /// Adds a free of a buffer; `bytes` is `unspecified` or the allocated size.
    [[nodiscard]] row_failure free(std::string_view name, std::uint64_t bytes = unspecified, std::string_view tag = {});

    /// Adds a load of a new program, or of an evicted or unloaded program.
    [[nodiscard]] row_failure load(std::string_view name, const program_size& size, std::string_view tag = {});

    /// Adds a run of a program, which loads it if necessary; `us` is its duration in microseconds, `unspecified`: until
    /// the next row. Cost: O(operands).
    [[nodiscard]] row_failure run(std::string_view program, const run_operands& operands, std::string_view tag = {},
                                  std::uint64_t us = unspecified);

    /// Adds an unload of a loaded program.
    [[nodiscard]] row_failure unload(std::string_view name, std::string_view tag = {});

    /// Adds a pin of a buffer.
    [[nodiscard]] row_failure pin(std::string_view name, std::string_view tag = {});

    /// Adds an unpin of a buffer: it removes a single pin.
    [[nodiscard]] row_failure unpin(std::string_view name, std::string_view tag = {});

    /// Adds a sync: deferred frees take effect.
    [[nodiscard]] row_failure sync(std::string_view tag = {});

    /// Counts an allocation that failed when the trace was recorded; it adds no row.
    void skip() { ++made_.skipped; }

    /// Adds a sentence for people about the trace as a whole.
    void note(std::string sentence) { made_.notes.push_back(std::move(sentence)); }

    /// Returns the number of rows.
    std::size_t size() const { return made_.rows.size(); }

    /// Returns the workload; the builder must not be used afterwards.
    workload finish() &&;

private:
    enum class kind : std::uint8_t { dead, buffer, program };
    enum class role : std::uint8_t { input, donated, output };

    // Place in `things_` of what an id means. It has the number of its token in `ids_`.
    using place = std::uint32_t;

    struct thing {
        id number = 0;  // number of its id in the workload
        kind what = kind::dead;
        std::uint64_t bytes = 0;
        std::uint64_t scratch = 0;
        std::uint32_t pins = 0;
        bool loaded = false;
        role last_role = role::input;  // role in the run that `last_run` numbers
        std::uint64_t last_run = 0;
    };

    static bool is_token(std::string_view text);

    static token_table with_empty_tag();

    row_failure check_newcomer(std::string_view name, place known, field where) const;

    row_failure check_tag(std::string_view tag);

    row_failure find_buffer(std::string_view name, field where, place& held) const;

    row_failure find_program(std::string_view name, place& known) const;

    // Appends the operands to the side tables, or returns the first error; then the caller removes them again.
    row_failure add_operands(const run_operands& operands);

    static detail describe(const run_operands& operands, std::size_t operands_before, std::size_t outputs_before);

    bool is_marked(place at, role as) const;

    void mark(place at, role as);

    place add(std::string_view name);

    // Ends what an id means, or lets it begin to mean something else. The id keeps its number.
    void set(place at, thing meaning);

    // Forgets the ids of ended buffers if they are many, and at least half of all.
    void forget_ended();

    void append(op what, place subject, std::string_view tag, std::uint64_t bytes = 0, const detail* more = nullptr);

    workload made_;
    token_table ids_;  // ids that are not forgotten
    token_table tags_ = with_empty_tag();
    std::vector<thing> things_;
    std::vector<place> donated_, outputs_, added_;  // of a run; and those of its outputs that are new ids
    std::size_t forget_at_ = 65'536;                // ids that are many
    std::uint64_t time_ = 0;
    std::uint64_t runs_ = 0;
    std::size_t line_ = 0;
    bool timed_ = false;
};

}  // namespace hbm::trace
