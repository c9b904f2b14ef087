// Every state of a memory_set with two small memories: spilling, moves between kinds, programs and runs in both,
// against a model of plain lists. HBM_SCOPE=1 and more: larger memories.
#include "memory_set/set_and_model.hpp"
#include "state_space/explorer.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::two_kinds_tests {
namespace {

struct limits {
    int device = 2, host = 2, buffers = 2, runs_in_flight = 1;
};

/// The memories as text, which is all that the explorer shows.
struct two_pictures {
    std::string text;
    [[nodiscard]] std::string shown() const { return text; }
};

template <class Spill>
class small_set {
public:
    using memory = set_and_model<Spill>;  // the explorer's word

    small_set(limits bounds, Spill policy, int wait_price, int use_price)
        : bounds_(bounds), policy_(policy), wait_price_(wait_price), use_price_(use_price) {}

    [[nodiscard]] memory empty() const {
        memory both(bounds_.device, bounds_.host, bounds_.runs_in_flight, policy_);
        both.model.wait_price = wait_price_;
        both.model.use_price = use_price_;
        return both;
    }
    [[nodiscard]] static two_pictures look(const memory& both) {
        return {both.model.memories[0].shown() + "|" + both.model.memories[1].shown()};
    }
    /// All that later calls depend on; runs are counted from the latest that is over, programs by their first block.
    [[nodiscard]] static std::string key(const memory& both, const two_pictures&) {
        const plain_set& model = both.model;
        const auto since = [&](int run) { return std::to_string(std::max(0, run - model.reached)); };
        std::string text;
        std::vector<int> programs;
        for (const plain_memory& side : model.memories) {
            for (const plain_block& block : side.blocks) {
                if (block.program >= 0 && std::count(programs.begin(), programs.end(), block.program) == 0)
                    programs.push_back(block.program);
                text += std::to_string(block.offset) + "+" + std::to_string(block.size) + "BCDL"[letter(block)];
                if (block.program >= 0)
                    text += static_cast<char>(
                        'a' + (std::find(programs.begin(), programs.end(), block.program) - programs.begin()));
                for (const int hold : block.holds) text += "h" + since(hold);
                text += "u" + since(block.freed ? block.until : 0);
            }
            text += "|";
            for (const int flight : side.flights) text += "f" + since(flight);
        }
        for (const auto& flight : model.flights) {
            text += flight.uses[0] ? "d" : "-";
            text += flight.uses[1] ? "h" : "-";
        }
        for (const int program : programs)
            for (const int run : both.runs[static_cast<std::size_t>(program)])
                if (run > model.reached) text += "r" + since(run);
        return text;
    }

    [[nodiscard]] std::vector<plain_call> calls(const memory& both, const two_pictures&) const {
        std::vector<plain_call> all;
        const plain_set& model = both.model;
        std::vector<int> buffers, programs;
        int blocks = 0;
        for (const plain_memory& side : model.memories)
            for (const plain_block& block : side.blocks) {
                blocks += block.buffer >= 0;
                if (block.buffer >= 0 && !block.freed) buffers.push_back(block.buffer);
                if (block.program >= 0 && std::count(programs.begin(), programs.end(), block.program) == 0)
                    programs.push_back(block.program);
            }
        const auto add = [&](plain_call call, std::string text) {
            call.text = std::move(text);
            all.push_back(std::move(call));
        };
        const auto number = [](int value) { return " " + std::to_string(value); };
        for (int kind = 0; kind < 2; ++kind)
            for (int size = 1; size <= 2 && blocks < bounds_.buffers; ++size)
                add({.what = verb::allocate, .kind = kind, .size = size}, "allocate" + number(kind) + number(size));
        for (const int buffer : buffers) {
            for (int until = model.reached; until <= model.issued; ++until)
                add({.what = verb::free, .subject = buffer, .until = until}, "free" + number(buffer) + number(until));
            for (int kind = 0; kind < 2 && blocks < bounds_.buffers; ++kind)
                for (const bool copies : {true, false})
                    add({.what = verb::move_to, .kind = kind, .subject = buffer, .copies = copies},
                        "move" + number(buffer) + number(kind) + (copies ? "" : ", which fails"));
        }
        for (int until = model.reached + 1; until <= model.issued; ++until)
            add({.what = verb::retire, .until = until}, "retire" + number(until));
        if (programs.empty())
            for (const std::vector<plain_part>& parts :
                 {std::vector<plain_part>{{0, 1}}, {{1, 1}}, {{0, 1}, {1, 1}}, {{0, 1}, {1, 2}}})
                add({.what = verb::load, .parts = parts}, "load");
        for (const int program : programs) {
            add({.what = verb::unload, .subject = program}, "unload" + number(program));
            std::vector<std::vector<plain_part>> outputs{{}};
            for (int size = 1; size <= 2; ++size) {
                for (int kind = 0; kind < 2 && blocks < bounds_.buffers + 1; ++kind) outputs.push_back({{kind, size}});
                for (int other = 1; other <= 2 && blocks < bounds_.buffers; ++other)
                    outputs.push_back({{1, size}, {0, other}});
            }
            std::vector<std::vector<int>> arguments{{}};
            for (const int buffer : buffers) arguments.push_back({buffer});
            for (const auto& inputs : arguments)
                for (const auto& donated : arguments)
                    for (const auto& parts : outputs)
                        add({.what = verb::run,
                             .subject = program,
                             .inputs = inputs,
                             .donated = donated,
                             .parts = parts},
                            "run with " + std::to_string(inputs.size()) + " inputs, " + std::to_string(donated.size()) +
                                " donors, outputs" + in_words(parts));
        }
        return all;
    }
    [[nodiscard]] static const char* step(const memory&, const two_pictures&, const plain_call& call, memory& later,
                                          two_pictures& now) {
        const char* broken = later.act(call);
        now = look(later);
        return broken;
    }

private:
    [[nodiscard]] static std::size_t letter(const plain_block& block) {
        return block.program >= 0 ? 1 : !block.freed ? 0 : block.late ? 3 : 2;
    }
    [[nodiscard]] static std::string in_words(const std::vector<plain_part>& parts) {
        std::string text;
        for (const plain_part& part : parts)
            text += " " + std::to_string(part.size) + (part.kind == 0 ? " on the device" : " on the host");
        return text;
    }

    limits bounds_;
    Spill policy_;
    int wait_price_, use_price_;
};

/// Explores at least this many transitions.
template <class Spill>
void explore(std::size_t least, int runs_in_flight, const Spill& policy = {}, int wait_price = 0, int use_price = 0) {
    const int scope = static_cast<int>(number_from_environment("HBM_SCOPE", 0));
    const limits bounds{.device = 3 + scope, .host = 2 + scope, .buffers = 2, .runs_in_flight = runs_in_flight};
    explore_all(small_set<Spill>(bounds, policy, wait_price, use_price),
                "two kinds/" + std::string(Spill::name.c_str()) + ", " + std::to_string(runs_in_flight) +
                    " runs in flight",
                least);
}

TEST_CASE("state space: a memory_set does in every small state what plain lists of blocks do") {
    explore<spill_in_order>(7200, 0);
    explore<spill_in_order>(53000, 1);
    if (tries_all_seeds()) explore<spill_in_order>(540000, 2);  // not in slow builds
    explore<never_spill>(53000, 1);
    // A byte in the other memory costs 600 nanoseconds, the wait for a run 1,000.
    explore(53000, 1, spill_if_cheaper{.uses = 600, .bytes_per_second = 1'000'000'000}, 1000, 600);
}

}  // namespace
}  // namespace hbm::test::two_kinds_tests
