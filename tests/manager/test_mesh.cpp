// Several devices that do everything together or nothing, against plain managers that get the same calls.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/planning/relief_policies.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::mesh_tests {
namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec of(std::uint64_t quanta, std::uint32_t runs_in_flight = 0) {
    return {.name = "small", .capacity = quanta * q, .runs_in_flight = runs_in_flight};
}
using tpu_memory = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;

TEST_CASE("mesh: devices are numbered replica by replica") {
    const mesh_shape shape{2, 3};
    CHECK(shape.devices() == 6);
    CHECK(shape.device(1, 2) == 5);
    CHECK(shape.replica(5) == 1);
    CHECK(shape.partition(5) == 2);
    const mesh_shape empty{1, 0};
    CHECK(empty.devices() == 0);
    CHECK(empty.replica(3) == 0);
    CHECK(empty.partition(3) == 0);
}

TEST_CASE("mesh: a device beyond the shape has no parts") {
    mesh<manager<best_fit>> devices({1, 2}, of(10));
    const auto held = devices.allocate(q);
    const auto step = devices.load({.code = q});
    CHECK(devices.part(*held, 1));
    for (const std::size_t device : {std::size_t{2}, ~std::size_t{0}}) CHECK_FALSE(devices.part(*held, device));
    CHECK_FALSE(devices.part(*step, 2));
    CHECK_FALSE(mesh<manager<best_fit>>{}.part(*held, 0));
}

TEST_CASE("mesh: a copy is equal until one of its managers changes alone") {
    const mesh<manager<best_fit>> devices({1, 2}, of(10));
    mesh<manager<best_fit>> copy = devices;
    CHECK(copy == devices);
    CHECK(copy.memory(1).allocate(q));
    CHECK_FALSE(copy == devices);
}

TEST_CASE("mesh: handles of meshes of other sizes or salts are foreign, and so are their parts") {
    std::vector<mesh<manager<best_fit>>> meshes;
    for (const std::uint32_t partitions : {2u, 3u})
        for (const std::uint64_t quanta : {10u, 11u}) meshes.emplace_back(mesh_shape{1, partitions}, of(quanta));
    for (const std::uint32_t salt : {10u, 11u, 12u}) meshes.emplace_back(mesh_shape{1, 2}, of(10), salt);
    std::vector<mesh_buffer> held;
    for (auto& devices : meshes) held.push_back(*devices.allocate(q));
    for (std::size_t at = 0; at < meshes.size(); ++at)
        for (std::size_t other = 0; other < meshes.size(); ++other) {
            if (at == other) continue;
            CHECK(meshes[at].check(held[other]) == error::foreign_handle);
            for (std::size_t device = 0; device < meshes[at].devices(); ++device)
                for (std::size_t there = 0; there < meshes[other].devices(); ++there)
                    CHECK(meshes[at].memory(device).check(meshes[other].part(held[other], there)) ==
                          error::foreign_handle);
        }
}

TEST_CASE("mesh: a buffer has a share on each device, or the number of shares is an error") {
    mesh<manager<best_fit>> devices({1, 3}, of(10));
    const std::uint64_t shares[] = {q, 0, 5 * q};
    const auto uneven = devices.allocate(shares, "uneven");
    REQUIRE(uneven);
    for (std::size_t device = 0; device < 3; ++device)  // at least one quantum
        CHECK(devices.memory(device).granted(devices.part(*uneven, device)) == (device == 2 ? 5 * q : q));
    CHECK(devices.memory(1).check(devices.part(*uneven, 0)) == error::foreign_handle);
    CHECK(devices.allocate({q, 2 * q}).error() == mesh_failure{{.reason = error::wrong_shares}});
    CHECK(devices.allocate({q, q, q, q}).error() == mesh_failure{{.reason = error::wrong_shares}});
    CHECK(devices.allocate({}).has_value());  // no bytes on each
}

TEST_CASE("mesh: a failure names the first device that is too small, and the buffer or program") {
    mesh<tpu_memory> devices({2, 2}, {of(20), of(20), of(8), of(7)}, 5);
    const auto weights = devices.allocate(4 * q, "weights");
    const auto expect = [&](const mesh_failure& failure, std::uint32_t partition, const char* name) {
        CHECK(failure.replica == 1);
        CHECK(failure.partition == partition);
        CHECK(devices.name_of(failure) == doctest::String(name));
    };
    expect(devices.allocate(4 * q, "cache").error(), 1, "cache");
    expect(devices.load({.name = "step", .code = q, .scratch = 4 * q}).error(), 0, "step");
    const auto step = devices.load({.name = "step", .code = q, .scratch = q});
    const auto failed = devices.run(*step, {.donated = {*weights}, .outputs = {4 * q, {{q, q, q, 2 * q}, "extra"}}});
    expect(failed.error(), 1, "extra");
    CHECK(failed.error().why.argument == 1);
}

TEST_CASE("mesh: thousands of new names of one run are those of its outputs, on each device and after a failure") {
    std::vector<std::string> names;
    for (int number = 0; number < 3000; ++number) names.push_back("output " + std::to_string(number));
    std::vector<mesh_output> outputs;
    for (const std::string& name : names) outputs.push_back({q, name.c_str()});
    for (const std::uint64_t quanta : {3001u, 3000u}) {
        mesh<manager<best_fit>> devices({1, 2}, {of(3001), of(quanta)});
        const auto step = devices.load({.code = q});
        const auto ran = devices.run(*step, {.outputs = outputs});
        CHECK(ran.has_value() == (quanta == 3001));
        for (std::size_t device = ran ? 0 : 1; device < 2; ++device) {
            const manager<best_fit>& memory = devices.memory(device);
            int wrong = 0;
            for (std::size_t at = 0; at < names.size(); ++at) {
                const tag label =
                    ran ? static_cast<tag>(memory.view().map().owner(devices.part(ran->outputs[at], device).index))
                        : memory.refused().outputs[at].label;
                wrong += memory.name_of(label) != names[at];
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("mesh: bad handles are errors that name no device") {
    mesh<manager<best_fit>> devices({1, 2}, of(10), 1);
    mesh<manager<best_fit>> others({1, 2}, of(10), 9);
    const auto held = devices.allocate(q);
    const auto step = devices.load({.name = "step", .code = q});
    const auto foreign = others.allocate(q);
    const auto expect = [](const auto& outcome, const mesh_failure& failure) { CHECK(outcome.error() == failure); };
    const mesh_failure stale{{.reason = error::stale_handle}};
    const mesh_failure unknown{{.reason = error::unknown_fence}};
    expect(devices.free(*foreign), {{.reason = error::foreign_handle}});
    expect(devices.free({}), stale);
    expect(devices.free({7, 1, held->salt}), stale);
    expect(devices.unpin(*held), {{.reason = error::not_pinned}, 0, 0});
    expect(devices.retire(fence{1}), unknown);
    expect(devices.free(*held, fence{1}), unknown);
    expect(devices.run(*step, {.inputs = {*held}, .donated = {*foreign}}),
           {{.reason = error::foreign_handle, .argument = 1}});
    expect(devices.run(*step, {.inputs = {*held}, .donated = {*held}}),
           {{.reason = error::donated_and_used, .argument = 1, .first_use = 0}, 0, 0});
    const std::vector<std::uint64_t> too_many{q, q, q};
    expect(devices.run(*step, {.outputs = {q, shares(too_many)}}), {{.reason = error::wrong_shares, .argument = 1}});
    CHECK(devices.run(*step, {.donated = {*held}, .kept = {1}}).error().why.reason == error::bad_argument);

    auto copy = devices;  // honours the handles of the original
    CHECK(devices.free(*held));
    expect(devices.free(*held), stale);
    CHECK(devices.allocate(q)->index == held->index);  // the slot is used again, the old handle stays stale
    CHECK(devices.check(*held) == error::stale_handle);
    CHECK(devices.part(*held, 0) == buffer{});
    CHECK(devices.unload(*step));
    expect(devices.unload(*step), stale);
    expect(devices.load(*step), stale);
    expect(devices.evict(*step), stale);
    expect(devices.run(*step, {}), stale);
    CHECK(copy.run(*step, {.donated = {*held}}));
}

TEST_CASE("mesh: a failure names the device on which a part was ended alone, and the rest can be freed") {
    mesh<manager<best_fit>> devices({1, 2}, of(10));
    const auto shared = devices.allocate(q);
    REQUIRE(devices.memory(1).free(devices.part(*shared, 1)));
    const auto other = devices.memory(1).allocate(q);  // where the part was
    REQUIRE(other);
    const auto before = devices;
    CHECK(devices.pin(*shared).error() == mesh_failure{{.reason = error::stale_handle}, 0, 1});
    CHECK(devices == before);
    CHECK(devices.free(*shared));
    CHECK(devices.free(*shared).error() == mesh_failure{{.reason = error::stale_handle}});
    const auto late = devices.allocate(q);
    REQUIRE(devices.memory(0).free(devices.part(*late, 0)));
    CHECK(devices.free(*late, devices.issued()));
    CHECK(devices.check(*late) == error::stale_handle);
    const auto halved = devices.load({.name = "halved", .code = q});
    REQUIRE(devices.memory(0).unload(devices.part(*halved, 0)));
    CHECK(devices.evict(*halved).error() == mesh_failure{{.reason = error::stale_handle}, 0, 0});
    CHECK(devices.unload(*halved));
    CHECK(devices.check(*halved) == error::stale_handle);
    CHECK(devices.memory(0).free_bytes() == 10 * q);
    CHECK(devices.memory(1).check(*other) == error::none);
    CHECK(devices.memory(1).free_bytes() == 9 * q);
}

TEST_CASE("mesh: without devices, or with specs for other devices, every call fails") {
    for (auto devices :
         {mesh<tpu_memory>{}, mesh<tpu_memory>({2, 2}, {of(10), of(10), of(10)}), mesh<tpu_memory>({0, 2}, of(10))}) {
        CHECK(devices.devices() == 0);
        CHECK(devices.allocate(q).error() == mesh_failure{{.reason = error::no_devices}});
        CHECK(devices.load({.code = q}).error() == mesh_failure{{.reason = error::no_devices}});
        CHECK(devices.run({}, {}).error().why.reason == error::stale_handle);
        devices.sync();
        CHECK(devices.reached() == fence{});
    }
    mesh<tpu_memory> impossible({1, 1}, {.capacity = 10 * q, .quantum = 3});
    CHECK(impossible.allocate(q).error() == mesh_failure{{.reason = error::bad_quantum, .requested = q}, 0, 0});
}

TEST_CASE("mesh: its fences are its own when a device runs something alone") {
    mesh<manager<best_fit>> devices({1, 2}, {of(10, 0), of(10, 2)});
    const auto step = devices.load({.name = "step", .code = q});
    const auto input = devices.allocate(q);
    REQUIRE(devices.memory(1).run(devices.part(*step, 1), {}));
    const auto ran = devices.run(*step, {.inputs = {*input}});
    REQUIRE(ran);
    CHECK(ran->over == fence{1});
    CHECK(devices.memory(1).issued() == fence{2});
    CHECK(devices.reached() == fence{});  // the second device still runs
    CHECK(devices.free(*input, ran->over));
    CHECK(devices.memory(0).free_bytes() == 9 * q);
    CHECK(devices.memory(1).free_bytes() == 8 * q);
    CHECK(devices.retire(ran->over));
    CHECK(devices.memory(1).reached() == fence{2});
    CHECK(devices.memory(1).free_bytes() == 9 * q);
    CHECK(devices.reached() == fence{1});
    const auto other = devices.allocate(q);
    CHECK(devices.free(*other, ran->over));
    CHECK(devices.memory(1).free_bytes() == 9 * q);
}

TEST_CASE("mesh: the fence that covers a run of one device alone is one that was issued") {
    mesh<manager<best_fit>> devices({1, 2}, of(10, 2));
    const auto step = devices.load({.name = "step", .code = q});
    for (const bool has_runs : {false, true}) {
        CAPTURE(has_runs);
        if (has_runs) {
            const auto ran = devices.run(*step, {});
            CHECK(devices.retire(ran->over));  // no run of the mesh is left in flight
        }
        REQUIRE(devices.memory(0).run(devices.part(*step, 0), {}));
        mesh<manager<best_fit>> later = devices;
        later.sync();
        CHECK(devices.first_covering(later) == devices.issued());
        CHECK(devices.retire(devices.first_covering(later)));
    }
}

TEST_CASE("mesh: observers receive the failures of their device, and no events of other devices or of rehearsals") {
    using observed = manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, event_log>;
    mesh<observed> devices({1, 2}, {of(10), of(5)});
    const auto step = devices.load({.code = q});
    REQUIRE(step);
    const auto refused = devices.allocate(6 * q);
    CHECK_FALSE(devices.load({.code = 6 * q}));
    CHECK_FALSE(devices.run(*step, {.outputs = {7 * q}}));
    CHECK(devices.memory(0).events().events.size() == 1);
    const auto& events = devices.memory(1).events().events;
    REQUIRE(events.size() == 4);
    for (std::uint64_t failed = 1; failed < 4; ++failed) {
        CHECK(events[failed].what == event_kind::failed);
        CHECK(events[failed].where.size == (failed == 3 ? 7 : 6) * q);
    }
    CHECK(devices.device_of(refused.error()) == 1);
    CHECK(devices.memory(0).refused().why.reason == error::none);
    CHECK(devices.memory(1).refused().why.reason == error::buffer_does_not_fit);
    REQUIRE(devices.memory(1).refused().outputs.size() == 1);
    CHECK(devices.memory(1).refused().outputs[0].bytes == 7 * q);
    CHECK(devices.device_of(devices.allocate({q, q, q}).error()) == 2);
}

constexpr bool trains_in_constant_evaluation() {
    mesh<tpu_memory> devices({1, 2}, {of(10), of(16)});
    const auto state = devices.allocate({4 * q, 6 * q}, "state");
    const auto step = devices.load({.name = "step", .code = q, .scratch = q});
    const auto ran = devices.run(*step, {.donated = {*state}, .outputs = {{4 * q, 6 * q}, q}});
    const auto before = devices.fork();
    return devices.allocate(6 * q).error().partition == 0 && devices.fork() == before &&
           devices.run(*step, {.donated = ran->outputs, .outputs = {{4 * q, 6 * q}}})->donated == 2;
}
static_assert(trains_in_constant_evaluation());
static_assert(std::regular<mesh<tpu_memory>>);
static_assert(std::is_same_v<mesh<tpu_memory>::forked, mesh<tpu_memory>>);

/// A handle of a mesh, and the handles of managers that get the same calls.
struct story_buffer {
    mesh_buffer handle;
    std::vector<buffer> parts;
};
struct story_program {
    mesh_program handle;
    std::vector<program> parts;
};
struct story_output {
    std::vector<std::uint64_t> bytes;
    const char* label;
    aliasing alias = aliasing::any;
    std::uint32_t partner = no_index;
};

/// Random calls of a mesh and of as many managers, of which copies are tried until one fails.
template <class Manager>
class story {
public:
    story(std::uint64_t seed) : random_(seed) {
        const mesh_shape shape{static_cast<std::uint32_t>(1 + random_.below(2)),
                               static_cast<std::uint32_t>(1 + random_.below(4))};
        std::vector<memory_spec> specs;
        for (std::size_t device = 0; device < shape.devices(); ++device)
            specs.push_back(of(40 + random_.below(30), static_cast<std::uint32_t>(random_.below(4))));
        mesh_ = mesh<Manager>(shape, specs, 7);
        for (std::size_t device = 0; device < specs.size(); ++device) {
            plain_.push_back(Manager(specs[device], {.salt = mesh_.memory(device).state().salt}));
            for (const char* name : names) {
                plain_.back().tag_of(name);
                mesh_.memory(device).tag_of(name);
            }
        }
    }

    void play(int steps) {
        for (int step = 0; step < steps; ++step) {
            CAPTURE(step);
            const auto before = mesh_;
            failed_ = false;
            take_a_step();
            for (std::size_t device = 0; device < plain_.size(); ++device)
                REQUIRE(mesh_.memory(device) == plain_[device]);
            if (failed_) REQUIRE(mesh_ == before);
        }
    }
    int failures = 0;
    int successes = 0;
    int relieved = 0;

private:
    static constexpr const char* names[] = {"a", "b", "c"};

    /// Makes a call on copies of the managers. Expects that the first failure, if any, is that of the mesh.
    template <class Outcome, class Call>
    bool agrees(const Outcome& outcome, Call call) {
        std::vector<Manager> tried = plain_;
        mesh_failure expected;
        for (std::size_t device = 0; device < tried.size() && expected.why.reason == error::none; ++device) {
            const auto done = call(tried[device], device);
            if (!done) expected = {done.error(), mesh_.shape().replica(device), mesh_.shape().partition(device)};
        }
        failed_ = !outcome;
        ++(outcome ? successes : failures);
        REQUIRE(outcome.has_value() == (expected.why.reason == error::none));
        if (outcome)
            plain_ = std::move(tried);
        else
            REQUIRE(outcome.error() == expected);
        return !failed_;
    }
    /// Makes a call that takes one handle, of the mesh or of a manager.
    template <class Held, class Call>
    bool agrees_on(const Held& held, Call call) {
        return agrees(call(mesh_, held.handle),
                      [&](Manager& memory, std::size_t device) { return call(memory, held.parts[device]); });
    }
    template <class T>
    static result<T> collect(const result<T>& part, std::vector<T>& parts) {
        if (part) parts.push_back(*part);
        return part;
    }
    void keep(const story_buffer& fresh) {
        for (std::size_t device = 0; device < plain_.size(); ++device)
            REQUIRE(mesh_.part(fresh.handle, device) == fresh.parts[device]);
        buffers_.push_back(fresh);
    }

    std::vector<std::uint64_t> sizes(std::uint64_t most) {
        const bool even = random_.once_in(2);
        std::vector<std::uint64_t> sizes(plain_.size(), random_.below(most * q));
        if (!even)
            for (std::uint64_t& size : sizes) size = random_.below(most * q);
        return sizes;
    }
    const char* name() { return names[random_.below(3)]; }
    template <class T>
    std::size_t any(const std::vector<T>& items) {
        return random_.below(items.size());
    }
    template <class T>
    static void erase(std::vector<T>& items, std::size_t at) {
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void take_a_step() {
        const std::uint64_t kind = random_.below(14);
        if (kind < 3) return allocate();
        if (kind == 3) return load();
        if (kind < 6 && !buffers_.empty()) return free();
        if (kind == 6 && !buffers_.empty()) return pin();
        if (kind == 7 && !programs_.empty()) return handle_program();
        if (kind == 8 && !fences_.empty()) return retire();
        if (kind < 13 && !programs_.empty()) return run();
        if (!random_.once_in(3)) return;
        mesh_.sync();
        for (Manager& memory : plain_) memory.sync();
    }

    void allocate() {
        const auto bytes = sizes(14);
        const char* label = name();
        request wanted{.alignment = random_.once_in(4) ? 2 * q : 0,
                       .preferred = random_.once_in(4) ? side::high : side::any};
        const auto outcome = mesh_.allocate(bytes, label, wanted);
        std::vector<buffer> parts;
        const bool good = agrees(outcome, [&](Manager& memory, std::size_t device) {
            wanted.bytes = bytes[device];
            wanted.label = memory.tag_of(label);
            return collect(memory.allocate(wanted), parts);
        });
        if (good) keep({*outcome, parts});
    }
    void free() {
        const std::size_t at = any(buffers_);
        const story_buffer freed = buffers_[at];
        if (random_.once_in(3) && !fences_.empty()) {
            const std::size_t run = any(fences_);
            agrees(mesh_.free(freed.handle, fence{run + 1}), [&](Manager& memory, std::size_t device) {
                return memory.free(freed.parts[device], fences_[run][device]);
            });
        } else {
            agrees_on(freed, [](auto& memory, auto handle) { return memory.free(handle); });
        }
        REQUIRE(mesh_.check(freed.handle) == error::stale_handle);
        erase(buffers_, at);
    }
    void load() {
        const program_spec spec{.name = name(), .code = random_.below(10 * q), .scratch = random_.below(10 * q)};
        const auto outcome = mesh_.load(spec);
        std::vector<program> parts;
        if (agrees(outcome, [&](Manager& memory, std::size_t) { return collect(memory.load(spec), parts); }))
            programs_.push_back({*outcome, parts});
    }
    void handle_program() {
        const std::size_t at = any(programs_);
        const std::uint64_t kind = random_.below(4);
        agrees_on(programs_[at], [&](auto& memory, auto handle) {
            return kind == 0 ? memory.unload(handle) : kind == 1 ? memory.evict(handle) : memory.load(handle);
        });
        if (kind == 0) erase(programs_, at);
    }
    void pin() {
        const bool pins = random_.once_in(2);
        agrees_on(buffers_[any(buffers_)],
                  [&](auto& memory, auto handle) { return pins ? memory.pin(handle) : memory.unpin(handle); });
    }
    void retire() {
        const std::size_t run = any(fences_);
        agrees(mesh_.retire(fence{run + 1}),
               [&](Manager& memory, std::size_t device) { return memory.retire(fences_[run][device]); });
    }

    void run() {
        const story_program subject = programs_[any(programs_)];
        std::vector<story_buffer> inputs;
        std::vector<std::size_t> donated;
        for (std::size_t at = 0; at < buffers_.size(); ++at) {
            if (random_.once_in(5)) donated.push_back(at);
            if (random_.once_in(6) && (donated.empty() || donated.back() != at || random_.once_in(8)))
                inputs.push_back(buffers_[at]);
        }
        std::vector<story_output> outputs(random_.below(4));
        for (story_output& output : outputs) {
            output = {sizes(6), name()};
            if (donated.empty() || random_.once_in(2)) continue;
            const std::size_t donor = any(donated);
            for (std::size_t device = 0; device < plain_.size(); ++device)
                output.bytes[device] = plain_[device].granted(buffers_[donated[donor]].parts[device]);
            if (random_.once_in(2)) continue;
            output.partner = static_cast<std::uint32_t>(donor);
            output.alias = random_.once_in(2) ? aliasing::must : aliasing::may;
        }
        std::vector<std::uint32_t> kept;
        std::vector<bool> is_kept(donated.size(), false);
        for (std::uint32_t at = 0; at < donated.size(); ++at)
            if (is_kept[at] = random_.once_in(4); is_kept[at]) kept.push_back(at);

        std::vector<mesh_buffer> mesh_inputs;
        std::vector<mesh_buffer> mesh_donated;
        std::vector<mesh_output> mesh_outputs;
        for (const story_buffer& input : inputs) mesh_inputs.push_back(input.handle);
        for (const std::size_t at : donated) mesh_donated.push_back(buffers_[at].handle);
        for (const story_output& output : outputs)
            mesh_outputs.emplace_back(shares(output.bytes), output.label, output.alias, output.partner);
        const auto outcome = mesh_.run(
            subject.handle, {.inputs = mesh_inputs, .donated = mesh_donated, .outputs = mesh_outputs, .kept = kept});
        std::uint64_t taken = 0;
        std::uint32_t reloaded = 0;
        std::vector<story_buffer> fresh(outputs.size());
        std::vector<fence> over;
        const bool good = agrees(outcome, [&](Manager& memory, std::size_t device) {
            std::vector<buffer> own_inputs;
            std::vector<buffer> own_donated;
            std::vector<output> own_outputs;
            for (const story_buffer& input : inputs) own_inputs.push_back(input.parts[device]);
            for (const std::size_t at : donated) own_donated.push_back(buffers_[at].parts[device]);
            for (const story_output& output : outputs)
                own_outputs.emplace_back(output.bytes[device], memory.tag_of(output.label), output.alias,
                                         output.partner);
            const auto ran =
                memory.run(subject.parts[device],
                           {.inputs = own_inputs, .donated = own_donated, .outputs = own_outputs, .kept = kept});
            if (!ran) return ran;
            for (std::size_t at = 0; at < fresh.size(); ++at) fresh[at].parts.push_back(ran->outputs[at]);
            over.push_back(ran->over);
            taken += ran->donated;
            reloaded += ran->reloaded ? 1u : 0u;
            return ran;
        });
        if (!good) return;
        fences_.push_back(over);
        REQUIRE(outcome->over == fence{fences_.size()});
        REQUIRE(outcome->donated == taken);
        REQUIRE(outcome->reloaded == reloaded);
        REQUIRE(outcome->outputs.size() == fresh.size());
        for (std::size_t at = donated.size(); at-- > 0;) {
            REQUIRE(mesh_.check(mesh_donated[at]) == (is_kept[at] ? error::none : error::stale_handle));
            if (!is_kept[at]) erase(buffers_, donated[at]);
        }
        for (std::size_t at = 0; at < fresh.size(); ++at) keep({outcome->outputs[at], fresh[at].parts});
        const auto is_over = [&](const std::vector<fence>& run) {
            for (std::size_t device = 0; device < plain_.size(); ++device)
                if (plain_[device].reached() < run[device]) return false;
            return true;
        };
        fence reached{fences_.size()};
        while (reached.number > 0 && !is_over(fences_[reached.number - 1])) --reached.number;
        REQUIRE(mesh_.reached() == reached);
        for (const Manager& memory : plain_) relieved += memory.done_so_far().relieved != 0;
    }

    testing::random_numbers random_;
    mesh<Manager> mesh_;
    std::vector<Manager> plain_;
    std::vector<story_buffer> buffers_;
    std::vector<story_program> programs_;
    std::vector<std::vector<fence>> fences_;  // of each run, on each device
    bool failed_ = false;
};

template <class Manager>
void expect_agreement() {
    int failures = 0;
    int successes = 0;
    int relieved = 0;
    for (std::uint64_t seed = 1; seed <= seeds_to_try(20); ++seed) {
        CAPTURE(seed);
        story<Manager> played(seed);
        played.play(80);
        failures += played.failures;
        successes += played.successes;
        relieved += played.relieved;
    }
    if (!tries_all_seeds()) return;
    CHECK(failures > 100);
    CHECK(successes > 500);
    CHECK(relieved > 0);
}

TEST_CASE("mesh: random calls change all of its managers as if each were called alone, or none") {
    expect_agreement<tpu_memory>();
    expect_agreement<manager<best_fit>>();
    expect_agreement<manager<compacting<buddy>, evict_greedy_dual, donate_fitting>>();
    expect_agreement<manager<bottom_reserve<first_fit, scratch_sharing::per_program>, evict_lru, donate_same_size>>();
    expect_agreement<
        manager<compacting<good_fit>, evict_cheapest_window, donate_fitting, evict_first, no_device, statistics>>();
}

struct failing_device {
    static constexpr fixed_string name{"failing_device"};
    std::uint64_t copies_until_failure = ~std::uint64_t{0};

    bool copy(std::uint64_t, std::uint64_t, std::uint64_t) {
        return copies_until_failure != 0 && copies_until_failure-- != 0;
    }
    friend bool operator==(const failing_device&, const failing_device&) = default;
};
using failing_memory = manager<compacting<best_fit>, evict_lru, donate_same_size, compact_first, failing_device>;

/// Two quanta free on each device, apart on some: there a block of two quanta needs a move.
struct scattered_mesh {
    mesh<failing_memory> devices;
    mesh_program evicted;  // two quanta, once it is back
    mesh_buffer state;     // two quanta
    mesh_program step;

    explicit scattered_mesh(const std::vector<bool>& apart, std::uint32_t runs_in_flight = 0)
        : devices({1, 3}, of(8, runs_in_flight)), evicted(*devices.load({.name = "gone", .code = 2 * q})) {
        REQUIRE(devices.evict(evicted));
        state = *devices.allocate(2 * q, "state");
        step = *devices.load({.name = "step", .code = q});
        const mesh_buffer ones[] = {*devices.allocate(q), *devices.allocate(q), *devices.allocate(q)};
        REQUIRE(devices.allocate(2 * q));
        REQUIRE(devices.free(ones[0]));
        for (std::size_t device = 0; device < 3; ++device) {
            REQUIRE(devices.memory(device).free(devices.part(ones[apart[device] ? 2 : 1], device)));
            REQUIRE(devices.memory(device).largest_free_bytes() == (apart[device] ? q : 2 * q));
        }
    }
    void fail(std::size_t device) { devices.memory(device).device().copies_until_failure = 0; }
    void repair(std::size_t device) { devices.memory(device).device().copies_until_failure = 100; }

    mesh_result<mesh_run_result> run() {
        return devices.run(step, {.donated = {state}, .outputs = {2 * q, {2 * q, "new"}}});
    }
    /// Makes the first, second, or third call that needs room for a block of two quanta.
    bool fails_on(std::size_t device, int call) {
        const auto failed = [&](const auto& outcome) {
            return !outcome && outcome.error().why.reason == error::device_failed &&
                   outcome.error().partition == device;
        };
        return call == 0   ? failed(devices.allocate(2 * q))
               : call == 1 ? failed(devices.load({.name = "other", .code = 2 * q}))
                           : failed(devices.load(evicted));
    }
};

TEST_CASE("mesh: devices that must move blocks go first, so that the failure of one alone changes nothing") {
    for (std::size_t failing = 0; failing < 3; ++failing) {
        CAPTURE(failing);
        scattered_mesh here({failing == 0, failing == 1, failing == 2});
        here.fail(failing);
        const auto before = here.devices.fork();
        for (int call = 0; call < 3; ++call) CHECK(here.fails_on(failing, call));
        CHECK(here.run().error().partition == failing);
        CHECK(here.devices.fork() == before);
        here.repair(failing);
        CHECK(here.run());
    }
}

TEST_CASE("mesh: a pin that a later device refuses leaves an interrupted move as it is") {
    mesh<failing_memory> devices({1, 2}, of(10));
    const auto low = devices.allocate(q);
    const auto held = devices.allocate(4 * q);
    REQUIRE((low && held && devices.free(*low)));
    REQUIRE(devices.memory(0).compact(q).remaining != 0);
    REQUIRE(devices.memory(0).moving());
    while (devices.memory(1).pin(devices.part(*held, 1))) continue;
    const auto before = devices.fork();
    CHECK(devices.pin(*held).error() == mesh_failure{{.reason = error::too_many_pins}, 0, 1});
    CHECK(devices.fork() == before);
    REQUIRE(devices.memory(1).unpin(devices.part(*held, 1)));
    CHECK(devices.pin(*held));
    CHECK_FALSE(devices.memory(0).moving());
}

TEST_CASE("mesh: a run moves its input on each device if arguments may move") {
    mesh<tpu_memory> devices({1, 2}, of(16));
    const auto step = devices.load({.name = "step", .code = q});
    const auto freed = devices.allocate(7 * q);
    const auto input = devices.allocate(q);
    REQUIRE((step && freed && input && devices.free(*freed)));
    const std::vector<mesh_buffer> inputs{*input};
    CHECK_FALSE(devices.run(*step, {.inputs = inputs, .outputs = {14 * q}}));
    CHECK(devices.run(*step, {.inputs = inputs, .outputs = {14 * q}, .arguments_may_move = true}));
    for (std::size_t device = 0; device < 2; ++device) CHECK(devices.memory(device).done_so_far().moves == 1);
}

TEST_CASE("mesh: when several must move and a later one fails, the earlier ones give back what they got") {
    for (int call = 0; call < 3; ++call) {
        CAPTURE(call);
        scattered_mesh here({true, true, true});
        here.fail(1);
        CHECK(here.fails_on(1, call));
        for (std::size_t device = 0; device < 3; ++device) {
            const failing_memory& memory = here.devices.memory(device);
            CHECK(memory.free_bytes() == 2 * q);
            CHECK(memory.largest_free_bytes() == (device == 0 ? 2 * q : q));  // the first has moved what it had to
            CHECK(memory.about(here.devices.part(here.step, device)).resident);
            CHECK_FALSE(memory.about(here.devices.part(here.evicted, device)).resident);
            CHECK(memory.granted(here.devices.part(here.state, device)) == 2 * q);
        }
        here.repair(1);
        CHECK(here.run());
    }
}

TEST_CASE("mesh: a run that reloaded its program before another device failed evicts it again") {
    for (const std::uint32_t runs_in_flight : {0u, 2u}) {
        CAPTURE(runs_in_flight);
        scattered_mesh here({true, true, true}, runs_in_flight);
        here.fail(1);
        CHECK_FALSE(here.devices.run(here.evicted, {}));
        for (std::size_t device = 0; device < 3; ++device) {
            const failing_memory& memory = here.devices.memory(device);
            CHECK_FALSE(memory.about(here.devices.part(here.evicted, device)).resident);
            CHECK(memory.free_bytes() == 2 * q);
        }
    }
}

TEST_CASE("mesh: outputs of an undone run return when a later run is over, or at sync") {
    for (const bool syncs : {false, true}) {
        CAPTURE(syncs);
        scattered_mesh here({true, true, true}, 2);
        here.fail(1);
        CHECK_FALSE(here.devices.run(here.step, {.outputs = {2 * q}}));
        CHECK(here.devices.retire(here.devices.issued()));
        CHECK(here.devices.memory(0).free_bytes() == 0);
        here.repair(1);
        if (syncs) {
            here.devices.sync();
        } else {
            const auto later = here.devices.run(here.step, {});
            CHECK(here.devices.retire(later->over));
        }
        CHECK(here.devices.memory(0).free_bytes() == 2 * q);
    }
}

TEST_CASE("mesh: a run that ended before another device failed cannot give donated buffers back") {
    scattered_mesh here({true, true, true});
    here.fail(1);
    const auto plain = here.devices.memory(2).copy();
    const auto failed = here.run();
    REQUIRE_FALSE(failed);
    CHECK(failed.error().why.reason == error::device_failed);
    CHECK(failed.error().partition == 1);
    CHECK(here.devices.issued() == fence{});
    // No device holds the result; the state lost its part on the device that ran, and only there.
    CHECK(here.devices.memory(0).free_bytes() == 4 * q);
    CHECK(here.devices.memory(2) == plain);
    CHECK(here.devices.check(here.state) == error::none);
    CHECK(here.devices.part(here.state, 0) == buffer{});
    CHECK(here.devices.run(here.step, {.inputs = {here.state}}).error() ==
          mesh_failure{{.reason = error::stale_handle, .argument = 0}, 0, 0});
    CHECK(here.devices.pin(here.state).error() == mesh_failure{{.reason = error::stale_handle}, 0, 0});
    CHECK(here.devices.free(here.state));
    for (std::size_t device = 0; device < 3; ++device) CHECK(here.devices.memory(device).free_bytes() == 4 * q);
    here.repair(1);
    const auto ran = here.devices.run(here.step, {.outputs = {2 * q}});
    REQUIRE(ran);
    CHECK(ran->over == fence{1});
    CHECK(here.devices.reached() == fence{1});
    CHECK(here.devices.memory(0).issued() == fence{2});
}

}  // namespace
}  // namespace hbm::test::mesh_tests
