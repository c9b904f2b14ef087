#include "compare/verify/verify.hpp"

#include <hbm/explain/filled_text.hpp>

#include <array>
#include <string>

#include "compare/command_line/errors.hpp"

namespace hbm::compare {

namespace {

// Names by the values of the kinds.
constexpr std::array<const char*, 19> kinds{
    "allocated", "freed",  "deferred", "retired", "donated",   "loaded", "reloaded", "evicted", "unloaded", "reserved",
    "moved",     "parted", "ran",      "reached", "thrashing", "failed", "trimmed",  "begun",   "stayed"};
static_assert(kinds.size() == static_cast<std::size_t>(event_kind::stayed) + 1);

constexpr std::string_view event_line = "\n  {event} [{begin}, {end}) from {from}";
constexpr std::string_view broken_rule_at =
    "{cell}: event {event}, row {row}: {rule}. The events of that place:{events}";
constexpr std::string_view not_verified = "replays of other managers, which cannot be verified: {replays}";
constexpr std::string_view verified = "verified {events} events, replays: {replays}";

}  // namespace

std::optional<audited_replay> replay_audited(const manager_entry& entry, const trace::workload& load,
                                             const memory_spec& spec) {
    if (entry.wide.audit == nullptr) return std::nullopt;
    return entry.wide.audit(*entry.wide.memory(spec), entry.wide.choices, load);
}

std::string broken_rule(const std::string& cell, const audited_replay& audited) {
    std::string events;
    for (const event& entry : audited.broken.history)
        events += filled(event_line, {{"event", kinds[static_cast<std::size_t>(entry.what)]},
                                      {"begin", entry.where.offset},
                                      {"end", entry.where.end()},
                                      {"from", entry.from}});
    return filled(broken_rule_at, {{"cell", cell},
                                   {"event", audited.broken.event},
                                   {"row", audited.row},
                                   {"rule", audited.broken.rule},
                                   {"events", events}});
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
            if (audited->broken.rule != nullptr) status = print_error(broken_rule(name, *audited), exit_status::failed);
        }
    }
    if (others != 0) print_note(filled(not_verified, {{"replays", others}}));
    if (!quiet && status == exit_status::done) print_note(filled(verified, {{"events", events}, {"replays", replays}}));
    return status;
}

}  // namespace hbm::compare
