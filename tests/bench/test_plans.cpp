// Managers that follow a plan: what their plans are made of, and that their figures are those of a placement that
// follows such a plan by hand.

#include <hbm/pack/plan_sequence.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/planned.hpp>
#include <hbm/trace/read.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/offline_report.hpp"
#include "compare/seen_requests.hpp"
#include "compare/shipped.hpp"
#include "compare_program.hpp"

namespace hbm::test::plans_tests {

namespace {

constexpr std::size_t rows_of_a_step = 48;

/// Four weights, and steps: activations, each beside scratch that is gone at once, then back through them. With runs, a
/// program runs at the end of each step and puts out a buffer.
std::string repeating(std::size_t steps, bool has_runs = false) {
    std::string text = has_runs ? "op,id,bytes,donated,outputs,scratch\nload,p,4096,,,2048\n" : "op,id,bytes\n";
    const auto ask = [&](const std::string& id, std::size_t quanta) {
        text += "alloc," + id + ',' + std::to_string(512 * quanta) + '\n';
    };
    std::size_t weight = 0;
    for (const std::size_t size : {64u, 96u, 32u, 80u}) ask("w" + std::to_string(weight++), size);
    for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t layer = 0; layer < 12; ++layer) {
            const std::string name = std::to_string(step) + "_" + std::to_string(layer);
            ask("s" + name, 40 + 6 * layer);
            ask("a" + name, 16 + layer % 3);
            text += "free,s" + name + ",\n";
        }
        for (std::size_t layer = 12; layer-- != 0;)
            text += "free,a" + std::to_string(step) + "_" + std::to_string(layer) + ",\n";
        const std::string output = "o" + std::to_string(step);
        if (has_runs) text += "run,p,,," + output + ":1024\nfree," + output + ",\n";
    }
    return text;
}

/// A row of a trace of allocations: what is asked for, or which earlier row is freed.
struct plain_row {
    std::uint32_t quanta = 0;
    std::size_t frees = 0;
};

std::vector<plain_row> plain_rows(const std::string& text) {
    const auto load = trace::read_text(text, "text");
    REQUIRE(load);
    std::vector<std::size_t> row_of(load->ids.size());
    std::vector<plain_row> made;
    for (const trace::row& each : load->rows) {
        if (each.what == trace::op::alloc) {
            row_of[each.subject] = made.size();
            made.push_back({static_cast<std::uint32_t>(each.bytes / 512), 0});
        } else {
            made.push_back({0, row_of[each.subject]});
        }
    }
    return made;
}

/// The highest end of a block in quanta.
template <class Placement>
std::uint64_t footprint(Placement memory, const std::vector<plain_row>& rows) {
    std::vector<block_index> block(rows.size(), no_block);
    std::uint64_t highest = 0;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (rows[at].quanta == 0) {
            memory.release(block[rows[at].frees]);
            continue;
        }
        block[at] = memory.place({.length = rows[at].quanta});
        highest = std::max<std::uint64_t>(highest, memory.map().end(block[at]));
    }
    return highest;
}

std::string both(const std::string& capacity) {
    return "--trace t.csv --rounds 0 --format json --manager best_fit --manager 'planned<best_fit>' --capacity " +
           capacity;
}

const compare::manager_entry& entry_of(const compare::manager_entries& all, const std::string& name) {
    return *std::find_if(all.begin(), all.end(), [&](const compare::manager_entry& each) { return each.name == name; });
}

/// The requests and frees of a sequence: `5` asks for so many quanta, `-0` frees the first request.
std::string spelled(const known_sequence& seen) {
    std::string text;
    for (const known_sequence::event& each : seen.events()) {
        text += text.empty() ? "" : " ";
        text += each.is_free ? "-" + std::to_string(each.request) : std::to_string(seen.lives()[each.request].size);
    }
    return text;
}

}  // namespace

TEST_CASE("the footprint under a plan is that of a placement which follows one by hand") {
    const workplace here;
    const std::string text = repeating(30);
    here.write("t.csv", text);
    const std::string found = here.run(both("unlimited")).out;

    const std::vector<plain_row> rows = plain_rows(text);
    REQUIRE(rows.size() == 4 + 30 * rows_of_a_step);
    known_sequence seen;
    std::vector<std::uint32_t> request(rows.size());
    for (std::size_t at = 0; at < rows.size() / 3; ++at) {
        if (rows[at].quanta != 0)
            request[at] = seen.ask(rows[at].quanta);
        else
            seen.free(request[rows[at].frees]);
    }
    const sequence_plan plan = plan_for(seen);
    const std::uint64_t with = footprint(planned<best_fit>(planned<best_fit>::unlimited, plan), rows);
    const std::uint64_t without = footprint(best_fit(best_fit::unlimited), rows);
    REQUIRE(with < without);
    CHECK(value_of(found, "planned<best_fit>", "footprint_bytes") == std::to_string(512 * with));
    CHECK(value_of(found, "best_fit", "footprint_bytes") == std::to_string(512 * without));
    CHECK(value_of(found, "planned<best_fit>", "plan_height_bytes") == std::to_string(512 * plan.height));
    CHECK(value_of(found, "best_fit", "plan_height_bytes") == "null");
    CHECK(value_of(found, "planned<best_fit>", "plan_us") == "null");
    const std::string timed = here.run("--trace t.csv --rounds 1 --format json --manager 'planned<best_fit>'").out;
    CHECK(value_of(timed, "planned<best_fit>", "plan_us") != "null");
}

TEST_CASE("the minimum capacity under a plan: it completes there and fails a quantum below") {
    const workplace here;
    here.write("t.csv", repeating(12));
    for (const char* manager :
         {"planned<best_fit>", "bottom_reserve<compacting<planned<best_fit>>>/evict_lru/donate_same_size"}) {
        const std::string job =
            "--trace t.csv --rounds 0 --format json --manager '" + std::string(manager) + "' --capacity ";
        const std::uint64_t least = std::stoull(value_of(here.run(job + "min").out, manager, "min_capacity_bytes"));
        CHECK(value_of(here.run(job + std::to_string(least)).out, manager, "completed") == "true");
        CHECK(value_of(here.run(job + std::to_string(least - 512)).out, manager, "completed") == "false");
    }
}

TEST_CASE("where nothing repeats there is no plan: the row is that of the placement without, and the words say so") {
    const workplace here;
    here.write("t.csv", "op,id,bytes\nalloc,a,1024\nalloc,b,1\nfree,a,\nalloc,c,512\nalloc,d,513\n");
    const std::string found = here.run(both("min")).out;
    for (const char* key : {"min_capacity_bytes", "placement_digest", "fragmentation_mean", "plan_height_bytes"})
        CHECK(value_of(found, "planned<best_fit>", key) == value_of(found, "best_fit", key));
    const std::string table =
        here.run("--trace t.csv --rounds 0 --manager best_fit --manager 'planned<best_fit>'", "COLUMNS=300").out;
    CHECK(count_of(table, "\nbest_fit (and 1 more) ") == 1);
    CHECK(count_of(table, "planned<best_fit> has no plan here, and places as without: nothing repeats in the first "
                          "1 event.\n") == 1);
}

TEST_CASE("the table says what is fate, what is not knowing, and how high the plan is") {
    const workplace here;
    here.write("t.csv", repeating(12));
    const std::string job = "--trace t.csv --rounds 0 --manager best_fit --manager 'planned<best_fit>' ";
    const std::string table = here.run(job, "COLUMNS=300").out;
    CHECK(count_of(table, "\noffline ") == 1);
    CHECK(count_of(table, "not knowing") == 1);
    CHECK(count_of(table, "planned<best_fit> follows a plan of the first 193 events, ") == 1);
    const std::string json = here.run(job + "--offline --format json").out;
    const auto number = [&](const char* manager, const char* key) { return std::stoull(value_of(json, manager, key)); };
    CHECK(number("best_fit", "fate_bytes") ==
          number("best_fit", "offline_bytes") - number("best_fit", "peak_live_bytes"));
    for (const char* manager : {"best_fit", "planned<best_fit>"})
        CHECK(number(manager, "not_knowing_bytes") ==
              number(manager, "min_capacity_bytes") - number(manager, "offline_bytes"));
    CHECK(number("best_fit", "not_knowing_bytes") > number("planned<best_fit>", "not_knowing_bytes"));
    // What a manager needs is not known where a capacity was given, and with programs no packing is.
    CHECK(here.run(job + "--capacity 1MiB").out.find("\noffline ") == std::string::npos);
}

TEST_CASE("what is less than it could be written is not written as nothing") {
    hbm::compare::scenario in;
    in.min_bytes = 1'000'000;
    hbm::compare::comparison packed{.in = &in, .cells = {}, .cell_of = {}, .is_packed = true};
    const auto words = [&](std::uint64_t bytes, std::uint64_t bound) {
        packed.offline = hbm::compare::offline_figures{.bytes = bytes, .bound_bytes = bound};
        return hbm::compare::offline_words(packed, {});
    };
    CHECK(words(1'000'400, 1'000'000).ends_with(": less than 0.1 % of the peak is fate."));
    CHECK(words(1'000'400, 1'000'400).ends_with(": less than 0.1 % of the peak is fate, proven."));
    CHECK(words(1'000'500, 1'000'000).ends_with(": at most 0.1 % of the peak is fate, for less is not ruled out."));
    CHECK(words(1'000'000, 1'000'000).ends_with(": nothing is fate."));
}

TEST_CASE("plans are the same on any number of cores, in shards, and beside stored figures") {
    const workplace here;
    here.write("t.csv", repeating(12));
    here.write("p.csv", repeating(12, true));
    const std::string job = "--trace t.csv --trace p.csv --rounds 0 --capacity min,1MiB "
                            "--manager best_fit --manager '*planned<best_fit>' "
                            "--manager 'bottom_reserve<compacting<planned<best_fit>>>/*' ";
    const std::string whole = here.run(job + "--format json --jobs 1").out;
    REQUIRE(count_of(whole, "\"plan_height_bytes\":") == 12);
    REQUIRE(count_of(whole, "\"plan_height_bytes\":null") == 4);  // under best_fit
    CHECK(here.run(job + "--format json --jobs 2").out == whole);
    for (const char* shard : {"1", "2", "3"})
        REQUIRE(here.run(job + "--shard " + shard + "/3 -o " + shard + ".json").status == 0);
    CHECK(here.run("merge 3.json 1.json 2.json").out == whole);
    CHECK(here.run("merge 3.json 1.json 2.json --format table").out == here.run(job).out);
    CHECK(here.run(job + "--save s.json -o x").status == 0);
    CHECK(here.run(job + "--check s.json -o x").err.empty());
}

TEST_CASE("what follows a plan is recommended only where there is nothing else, and in so many words") {
    const workplace here;
    here.write("t.csv", repeating(12));
    const std::string job = "--trace t.csv --rounds 0 --recommend --manager 'planned<best_fit>' ";
    const std::string alone = here.run(job, "COLUMNS=300").out;
    CHECK(count_of(alone, "once it has a plan, which takes a recorded run first.") == 1);
    CHECK(count_of(alone, "#include <hbm/placement/planned.hpp>\nusing memory = "
                          "hbm::manager<hbm::planned<hbm::best_fit>>;") == 1);
    const std::string beside = here.run(job + "--manager best_fit").out;
    CHECK(beside.starts_with("Take best_fit: "));
    CHECK(count_of(beside, "\nIt is the only manager that takes part: without --manager the usual ones are compared. "
                           "planned<best_fit> is left out: it needs a plan, which has to be made from a recorded run "
                           "first.\n") == 1);
    const std::string several = here.run(job + "--manager best_fit --manager '*planned*'").out;
    CHECK(count_of(several, "are left out: they need plans, which have to be made from a recorded run first.") == 1);
    CHECK(here.run("--trace t.csv --rounds 0 --recommend --manager best_fit").out.find("left out") ==
          std::string::npos);
}

TEST_CASE("unasked, nothing is planned for that has programs, and the words say how to ask") {
    const workplace here;
    here.write("p.csv", repeating(12, true));
    here.write("t.csv", repeating(12));
    const auto height = [&](const std::string& arguments) {
        return value_of(here.run(arguments + " --capacity 1MiB --rounds 0 --format json").out, "planned<best_fit>",
                        "plan_height_bytes");
    };
    CHECK(height("--trace p.csv") == "null");
    CHECK(height("--trace p.csv --manager 'planned<best_fit>'") != "null");
    CHECK(height("--trace t.csv") != "null");
    const std::string table = here.run("--trace p.csv --capacity 1MiB --rounds 0").out;
    CHECK(count_of(table, "planned<best_fit> has no plan here, and places as without: making one takes longer here") ==
          1);
    here.write("u.csv", repeating(1));
    std::string of_many = here.run("--trace p.csv --trace t.csv --trace u.csv --capacity 1MiB --rounds 0").out;
    for (std::size_t at = of_many.find("\n    "); at != std::string::npos; at = of_many.find("\n    ", at))
        of_many.replace(at, 5, " ");  // lines that go on
    CHECK(count_of(of_many, "Long workloads and programs are planned for only if") == 1);
    CHECK(count_of(of_many, "; learning<best_fit> is told nothing.\n") == 1);
    const std::string fits = here.run("--trace p.csv --trace t.csv --trace u.csv --capacity 1MiB --rounds 0 "
                                      "--manager best_fit")
                                 .out;
    CHECK(fits.find("told nothing") == std::string::npos);
}

TEST_CASE("a plan is made of what a placement is asked for where memory never runs out") {
    const auto load = trace::read_text("op,id,bytes,donated,outputs,scratch\n"
                                       "load,p,2048,,,1024\n"        // 4 quanta of code, 2 of scratch
                                       "alloc,a,512,,,\n"            // 1
                                       "alloc,b,1536,,,\n"           // 3
                                       "run,p,,a b,c:1536 d:600,\n"  // c as large as b, d fresh, and a ends
                                       "unload,p,,,,\n"
                                       "run,p,,,e:1,\n"  // it comes back
                                       "free,c,,,,\n",
                                       "text");
    REQUIRE(load);
    compare::scenario in;
    in.load = *load;
    in.device.quantum = 512;
    in.has_programs = in.has_donations = true;
    const compare::manager_entries all = compare::shipped_managers();
    const auto seen = [&](const std::string& name, std::size_t rows) {
        return spelled(compare::seen_requests(entry_of(all, name), in, rows));
    };
    // Requests are numbered as they come: scratch 0, code 1, a 2, b 3.
    CHECK(seen("planned<best_fit>", 7) == "2 4 1 3 3 2 -2 -3 -0 -1 2 4 1 -4");
    CHECK(seen("compacting<planned<best_fit>>/evict_lru/donate_same_size", 7) == "2 4 1 3 2 -2 -0 -1 2 4 1 -3");
    // Scratch that is reserved is not asked for: code 0, a 1, b 2.
    CHECK(seen("bottom_reserve<compacting<planned<best_fit>>>/evict_lru/donate_same_size", 7) ==
          "4 1 3 2 -1 -0 4 1 -2");
    CHECK(seen("planned<best_fit>", 3) == "2 4 1 3");
}

}  // namespace hbm::test::plans_tests
