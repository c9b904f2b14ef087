#include "compare/verify/verify.hpp"

#include <array>
#include <string>

#include "compare/command_line/errors.hpp"

namespace hbm::compare {

namespace {

// Names by the values of the kinds.
constexpr std::array<const char*, 17> kinds{"allocated", "freed",   "deferred",  "retired",  "donated", "loaded",
                                            "reloaded",  "evicted", "unloaded",  "reserved", "moved",   "parted",
                                            "ran",       "reached", "thrashing", "trimmed",  "failed"};
static_assert(kinds.size() == static_cast<std::size_t>(event_kind::failed) + 1);

std::string event_text(const event& e) {
    return std::string(kinds[static_cast<std::size_t>(e.what)]) + " [" + std::to_string(e.where.offset) + ", " +
           std::to_string(e.where.end()) + ") from " + std::to_string(e.from);
}

}  // namespace

std::string break_text(const std::string& cell, const audited_replay& audited) {
    std::string text = cell + ": event " + std::to_string(audited.broken.event) + ", row " +
                       std::to_string(audited.row) + ": " + audited.broken.rule + ". The events of that place:";
    for (const event& e : audited.broken.history) text += "\n  " + event_text(e);
    return text;
}

int verify(const std::vector<comparison>& all, const selection& chosen, bool quiet) {
    std::uint64_t events = 0;
    std::size_t replays = 0;
    std::size_t others = 0;
    int status = exit_status::done;
    for (const comparison& compared : all) {
        for (std::size_t cell = 0; cell < compared.cells.size(); ++cell) {
            std::size_t manager = 0;
            while (compared.cell_of[manager] != cell) ++manager;
            const std::optional<audited_replay> audited =
                replay_audited(*chosen.managers[manager], compared.in->load, compared.cells[cell].spec);
            if (!audited) {
                ++others;
                continue;
            }
            ++replays;
            events += audited->events;
            const std::string name = std::string(chosen.managers[manager]->name) + ", " + compared.in->title;
            if (audited->broken.rule != nullptr) status = print_error(break_text(name, *audited), exit_status::failed);
        }
    }
    if (others != 0) print_note("replays of other managers, which cannot be verified: " + std::to_string(others));
    if (!quiet && status == exit_status::done)
        print_note("verified " + std::to_string(events) + " events, replays: " + std::to_string(replays));
    return status;
}

}  // namespace hbm::compare
