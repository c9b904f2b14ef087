#include "compare/seen_requests.hpp"

#include <hbm/trace/replay.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace hbm::compare {

namespace {

/// Writes down what is asked for while it is replayed.
class request_recorder {
public:
    request_recorder(const scenario& in, bool reserves, trace::replayed_memory& memory)
        : load_(in.load), quantum_(in.device.quantum), reserves_(reserves), memory_(memory), run_(in.load, memory),
          request_of_(in.load.ids.size(), no_event), scratch_of_(in.load.ids.size(), no_event),
          load_row_(in.load.ids.size(), 0) {}

    [[nodiscard]] known_sequence record(std::size_t rows) {
        while (run_.at() < rows) {
            const trace::row& next = load_.rows[run_.at()];
            note_donors(next);
            if (next.what == trace::op::load) load_row_[next.subject] = run_.at();
            if (!run_.step()) break;
            note(next);
        }
        return std::move(made_);
    }

private:
    /// A donated input: its request, and where it lay before the run.
    struct donor {
        std::uint32_t request = no_event;
        extent where;
        bool is_taken = false;
    };

    void note_donors(const trace::row& next) {
        donors_.clear();
        if (next.what != trace::op::run) return;
        const trace::operand_range donated = load_.details[next.detail].donated;
        for (std::uint32_t at = 0; at < donated.count; ++at) {
            const trace::id id = load_.operands[donated.first + at];
            donors_.push_back({request_of_[id], memory_.where(run_.buffer_of(id)), false});
        }
    }
    void note(const trace::row& done) {
        switch (done.what) {
        case trace::op::alloc:
            request_of_[done.subject] = ask(done.bytes);
            break;
        case trace::op::free:
            made_.free(std::exchange(request_of_[done.subject], no_event));
            break;
        case trace::op::load:
            bring_in(done.subject);
            break;
        case trace::op::unload:
            made_.free(std::exchange(scratch_of_[done.subject], no_event));
            made_.free(std::exchange(request_of_[done.subject], no_event));
            break;
        case trace::op::run:
            bring_in(done.subject);
            note_outputs(load_.details[done.detail].outputs);
            break;
        default:
            break;
        }
    }
    /// Scratch comes before code, and nothing comes where the program is in memory.
    void bring_in(trace::id program) {
        if (request_of_[program] != no_event) return;
        const trace::row& spec = load_.rows[load_row_[program]];
        const std::uint64_t scratch = load_.details[spec.detail].scratch;
        if (scratch != 0 && !reserves_) scratch_of_[program] = ask(scratch);
        request_of_[program] = ask(spec.bytes);
    }
    /// Nothing moves, so an output that took over an input lies where that lay. Donors that are left end.
    void note_outputs(const trace::operand_range& outputs) {
        std::size_t fresh = 0;
        for (std::uint32_t at = 0; at < outputs.count; ++at) {
            const trace::sized_id& output = load_.outputs[outputs.first + at];
            const buffer held = run_.buffer_of(output.name);
            if (fresh < run_.fresh().size() && run_.fresh()[fresh] == held) {
                ++fresh;
                request_of_[output.name] = ask(output.bytes);
                continue;
            }
            const std::uint64_t offset = memory_.where(held).offset;
            for (donor& each : donors_)
                if (!each.is_taken && offset >= each.where.offset && offset < each.where.end()) {
                    each.is_taken = true;
                    request_of_[output.name] = each.request;
                    break;
                }
        }
        for (const donor& each : donors_)
            if (!each.is_taken) made_.free(each.request);
    }

    [[nodiscard]] std::uint32_t ask(std::uint64_t bytes) {
        const std::uint64_t quanta = trace::granted(bytes, quantum_) / quantum_;
        return quanta > plan_event::most ? no_event : made_.ask(static_cast<std::uint32_t>(quanta));
    }

    const trace::workload& load_;
    std::uint64_t quantum_;
    bool reserves_;
    trace::replayed_memory& memory_;
    trace::replay run_;
    std::vector<std::uint32_t> request_of_;  // by id, of buffers and of the code of programs
    std::vector<std::uint32_t> scratch_of_;  // by id
    std::vector<std::size_t> load_row_;      // by id of a program: its last row `load`
    std::vector<donor> donors_;              // of the row
    known_sequence made_;
};

}  // namespace

known_sequence seen_requests(const manager_entry& who, const scenario& in, std::size_t rows) {
    const bool has_wide = who.wide.make != nullptr;
    memory_spec spec = in.device;
    spec.runs_in_flight = 0;
    spec.capacity = spec.quantum * (std::uint64_t{1} << (has_wide ? 44U : 31U));
    const std::unique_ptr<trace::replayed_memory> memory = (has_wide ? who.wide : who.narrow).make(spec);
    const bool reserves = who.placement.find("bottom_reserve<") != std::string_view::npos;
    return request_recorder(in, reserves, *memory).record(rows);
}

}  // namespace hbm::compare
