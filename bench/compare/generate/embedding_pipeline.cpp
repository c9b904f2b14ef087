#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "compare/generate/generate.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

constexpr std::array embedding_pipeline_parameters{
    parameter{"capacity", 31996 * mib, 2 * gib, 1ULL << 42U, "bytes of the device that is to be filled", true},
    parameter{"free", 154'811'904, 0, gib, "bytes free when the large program arrives", true},
    parameter{"ask", 31'664'646'656, 0, 1ULL << 42U, "scratch of the large program", true},
    parameter{"code", 96 * mib, 0, 1ULL << 42U, "code of the large program", true},
    parameter{"phases", 4, 1, 1000, "times that tables are added"},
    parameter{"steps", 200, 0, 100'000, "pipeline steps a phase"},
    parameter{"late", 1, 0, 1, "1: the large program arrives; 0: it does not"},
};

/// Writer of the rows of `embedding_pipeline`.
class embedding_pipeline_writer {
public:
    /// Writes into this draft.
    embedding_pipeline_writer(const settings& given, trace_draft& draft) : given_(given), draft_(draft) {}

    /// Writes all rows. Between phases every program is unloaded and everything but tables is freed: so free memory is
    /// not fragmented under any policy when the tables of the next phase, or finally the large program, arrive.
    void write() {
        const std::uint64_t full = whole_quanta(given_["capacity"]) - up_to_quanta(given_["free"]);
        const std::uint64_t phases = given_["phases"];
        // An eighth is left for programs and batches while the pipeline runs; the last tables take that, too.
        const std::uint64_t max_bytes = whole_quanta(full / 8 * 7);
        for (std::uint64_t phase = 0; phase < phases; ++phase) {
            add_tables(max_bytes / phases * (phase + 1));
            load_programs();
            for (std::uint64_t step = 0; step < given_["steps"]; ++step) run_step();
            unload_programs();
        }
        add_tables(full);
        if (given_["late"] == 0) return;
        draft_.wait(1000);
        draft_.load("embedding_pipeline_step", given_["code"], up_to_quanta(given_["ask"]));
        draft_.run("embedding_pipeline_step", {}, {}, {}, "");
    }

private:
    static constexpr std::uint64_t quantum = 512;
    static constexpr std::size_t lookups = 8;

    static std::uint64_t whole_quanta(std::uint64_t bytes) { return bytes / quantum * quantum; }
    static std::uint64_t up_to_quanta(std::uint64_t bytes) { return whole_quanta(bytes + quantum - 1); }

    // Adds tables of many sizes until their sum is exactly the given number of bytes.
    void add_tables(std::uint64_t until) {
        until = whole_quanta(until);
        while (taken_ < until) {
            draft_.wait(2000);
            const std::uint64_t drawn = whole_quanta(draft_.random.log_uniform(8 * mib, gib));
            const std::uint64_t bytes = std::min(drawn, until - taken_);
            tables_.push_back(draft_.alloc("table", bytes));
            taken_ += bytes;
        }
    }

    static std::string lookup_name(std::size_t which) { return "lookup_" + decimal(which); }

    // Sizes depend only on the number, so a program has the same sizes whenever it is loaded.
    void load_programs() {
        for (std::size_t which = 0; which < lookups; ++which) {
            draft_.load(lookup_name(which), (4 + which) * mib, (8 + 4 * which) * mib);
        }
        draft_.load("combine", 6 * mib, 16 * mib);
        draft_.load("dense", 12 * mib, 48 * mib);
    }

    void unload_programs() {
        for (std::size_t which = 0; which < lookups; ++which) draft_.unload(lookup_name(which));
        draft_.unload("combine");
        draft_.unload("dense");
        draft_.sync();
    }

    void run_step() {
        draft_.wait(300 + draft_.random.exponential(100));
        const draft_buffer batch = draft_.alloc("batch", draft_.random.log_uniform(64 * kib, 2 * mib));
        const std::uint64_t rows = draft_.random.log_uniform(256 * kib, 8 * mib);
        draft_buffers found;
        for (int lookup = 0; lookup < 2; ++lookup) {
            const draft_buffer vectors = draft_.fresh("vectors", rows);
            const draft_buffer& table = tables_[static_cast<std::size_t>(draft_.random.skewed_below(tables_.size()))];
            const auto which = static_cast<std::size_t>(draft_.random.below(lookups));
            draft_.run(lookup_name(which), {table, batch}, {}, {vectors}, "vectors");
            found.push_back(vectors);
        }
        // A donor becomes the sum; the other donor has no output of its size.
        const draft_buffer sum = draft_.fresh("sum", rows);
        draft_.run("combine", {}, found, {sum}, "sum");
        const draft_buffer loss = draft_.fresh("loss", 512);
        draft_.run("dense", {batch}, {sum}, {loss}, "loss");
        draft_.free(loss);
        draft_.free(batch);
    }

    const settings& given_;
    trace_draft& draft_;
    draft_buffers tables_;
    std::uint64_t taken_ = 0;
};

void write_embedding_pipeline(const settings& given, trace_draft& draft) {
    embedding_pipeline_writer(given, draft).write();
}

}  // namespace

/// An embedding pipeline: tables fill the device step by step, and then a very large program does not fit any more.
/// The figures at the end are those of a public error report of a v6e: 29.49G requested at the bottom, 147.64M
/// free. Writes the pipeline: about 7 rows per step.
const generator embedding_pipeline{"embedding_pipeline",
                                   "tables fill the device, then one very large program arrives and cannot fit", "v6e",
                                   embedding_pipeline_parameters, write_embedding_pipeline};

}  // namespace hbm::trace
