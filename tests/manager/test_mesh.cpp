// Several devices that do everything together, or nothing: against plain managers that are driven with the same calls.
#include <hbm/events/event_log.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

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

TEST_CASE("devices are numbered replica by replica") {
    const mesh_shape shape{2, 3};
    CHECK(shape.devices() == 6);
    CHECK(shape.device(0, 2) == 2);
    CHECK(shape.device(1, 0) == 3);
    CHECK(shape.replica(5) == 1);
    CHECK(shape.partition(5) == 2);
    const mesh_shape empty{1, 0};
    CHECK(empty.devices() == 0);
    CHECK(empty.replica(3) == 0);
    CHECK(empty.partition(3) == 0);
}

TEST_CASE("a device that is not there has no parts") {
    mesh<manager<best_fit>> devices({1, 2}, of(10));
    const auto held = devices.allocate(q);
    const auto step = devices.load({.code = q});
    REQUIRE(held);
    REQUIRE(step);
    CHECK(devices.part(*held, 1));
    CHECK_FALSE(devices.part(*held, 2));
    CHECK_FALSE(devices.part(*held, ~std::size_t{0}));
    CHECK_FALSE(devices.part(*step, 2));
    CHECK_FALSE(mesh<manager<best_fit>>{}.part(*held, 0));
}

TEST_CASE("meshes of other sizes and meshes with salts in a row are strangers, and so are their parts") {
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

TEST_CASE("an uneven buffer has its share on each device") {
    mesh<manager<best_fit>> devices({1, 3}, of(10));
    const auto even = devices.allocate(2 * q, "even");
    const auto uneven = devices.allocate({q, 0, 5 * q}, "uneven");
    REQUIRE(even);
    REQUIRE(uneven);
    for (std::size_t device = 0; device < 3; ++device)
        CHECK(devices.memory(device).granted(devices.part(*even, device)) == 2 * q);
    CHECK(devices.memory(0).granted(devices.part(*uneven, 0)) == q);
    CHECK(devices.memory(1).granted(devices.part(*uneven, 1)) == q);  // at least one quantum
    CHECK(devices.memory(2).granted(devices.part(*uneven, 2)) == 5 * q);
    const std::vector<std::uint64_t> sizes{q, 2 * q};
    CHECK(devices.allocate(sizes).error() == mesh_failure{{.reason = error::wrong_shares}});
    CHECK(devices.allocate({q, q, q, q}).error() == mesh_failure{{.reason = error::wrong_shares}});
    const std::uint64_t three[] = {q, 2 * q, q};
    const auto of_array = devices.allocate(three);
    REQUIRE(of_array);
    CHECK(devices.memory(1).granted(devices.part(*of_array, 1)) == 2 * q);
    CHECK(devices.free(*of_array));
    CHECK(devices.allocate({}).has_value());  // no bytes on each
    const auto aligned = devices.allocate(q, "aligned", {.alignment = 4 * q});
    REQUIRE(aligned);
    for (std::size_t device = 0; device < 3; ++device)
        CHECK(devices.memory(device).where(devices.part(*aligned, device)).offset % (4 * q) == 0);
    // A part of a device is a stranger on another.
    CHECK(devices.memory(1).check(devices.part(*even, 0)) == error::foreign_handle);
}

TEST_CASE("one device that is too small: it is named, and nothing happens on any") {
    mesh<tpu_memory> devices({2, 2}, {of(20), of(20), of(8), of(7)}, 5);
    const auto weights = devices.allocate(4 * q, "weights");
    REQUIRE(weights);
    const auto before = devices;
    const auto failed = devices.allocate(4 * q, "cache");
    REQUIRE_FALSE(failed);
    CHECK(failed.error().replica == 1);
    CHECK(failed.error().partition == 1);
    CHECK(failed.error().why.reason == error::buffer_does_not_fit);
    CHECK(failed.error().why.free == 3 * q);
    CHECK(devices.name_of(failed.error()) == doctest::String("cache"));
    CHECK(devices == before);

    const auto unloadable = devices.load({.name = "step", .code = q, .scratch = 4 * q});
    REQUIRE_FALSE(unloadable);
    CHECK(unloadable.error().replica == 1);
    CHECK(unloadable.error().partition == 0);  // the first of the two that are too small
    CHECK(unloadable.error().why.at_the_bottom == false);
    CHECK(devices.name_of(unloadable.error()) == doctest::String("step"));
    CHECK(devices == before);

    const auto step = devices.load({.name = "step", .code = q, .scratch = q});
    REQUIRE(step);
    const auto loaded = devices;
    const auto full = devices.run(*step, {.donated = {*weights}, .outputs = {4 * q, {{q, q, q, 2 * q}, "extra"}}});
    REQUIRE_FALSE(full);
    CHECK(full.error().partition == 1);
    CHECK(full.error().why.argument == 1);
    CHECK(devices.name_of(full.error()) == doctest::String("extra"));
    CHECK(devices == loaded);
    const auto ran = devices.run(*step, {.donated = {*weights}, .outputs = {4 * q, {{q, q, q, q}, "extra"}}});
    REQUIRE(ran);
    CHECK(ran->donated == 4);
    CHECK(devices.check(*weights) == error::stale_handle);
    // The outputs may be the arguments of the next run, as they were returned.
    const auto again = devices.run(*step, {.donated = ran->outputs, .outputs = {q, 4 * q}});
    REQUIRE(again);
    CHECK(again->donated == 8);
}

TEST_CASE("handles that are not good are refused, and no device is blamed") {
    mesh<manager<best_fit>> devices({1, 2}, of(10), 1);
    mesh<manager<best_fit>> others({1, 2}, of(10), 9);
    const auto held = devices.allocate(q);
    const auto step = devices.load({.name = "step", .code = q});
    const auto foreign = others.allocate(q);
    const auto refused = [](error why) { return mesh_failure{{.reason = why}}; };
    CHECK(devices.free(*foreign).error() == refused(error::foreign_handle));
    CHECK(devices.free({}).error() == refused(error::stale_handle));
    CHECK(devices.free({7, 1, held->salt}).error() == refused(error::stale_handle));
    CHECK(devices.unpin(*held).error() == mesh_failure{{.reason = error::not_pinned}, 0, 0});
    CHECK(devices.retire(fence{1}).error() == refused(error::unknown_fence));
    CHECK(devices.free(*held, fence{1}).error() == refused(error::unknown_fence));
    CHECK(devices.run(*step, {.inputs = {*held}, .donated = {*foreign}}).error() ==
          mesh_failure{{.reason = error::foreign_handle, .argument = 1}});
    CHECK(devices.run(*step, {.inputs = {*held}, .donated = {*held}}).error() ==
          mesh_failure{{.reason = error::donated_and_used, .argument = 1, .first_use = 0}, 0, 0});
    const std::vector<std::uint64_t> too_many{q, q, q};
    CHECK(devices.run(*step, {.outputs = {q, shares(too_many)}}).error() ==
          mesh_failure{{.reason = error::wrong_shares, .argument = 1}});
    CHECK(devices.run(*step, {.donated = {*held}, .kept = {1}}).error().why.reason == error::bad_argument);

    auto copy = devices;
    CHECK(copy.check(*held) == error::none);  // a copy honours the handles of what it was copied from
    CHECK(devices.free(*held));
    CHECK(devices.free(*held).error() == refused(error::stale_handle));
    CHECK(devices.allocate(q)->index == held->index);  // the slot is used again, the old handle stays stale
    CHECK(devices.check(*held) == error::stale_handle);
    CHECK(devices.part(*held, 0) == buffer{});
    CHECK(devices.unload(*step));
    CHECK(devices.unload(*step).error() == refused(error::stale_handle));
    CHECK(devices.load(*step).error() == refused(error::stale_handle));
    CHECK(devices.evict(*step).error() == refused(error::stale_handle));
    CHECK(devices.run(*step, {}).error() == refused(error::stale_handle));
    CHECK(copy.run(*step, {.donated = {*held}}));

    // What was done to one device alone is found out, and that device named.
    const auto shared = devices.allocate(q);
    CHECK(devices.memory(1).free(devices.part(*shared, 1)));
    const auto before = devices;
    CHECK(devices.pin(*shared).error() == mesh_failure{{.reason = error::stale_handle}, 0, 1});
    CHECK(devices == before);
    // Freeing it frees the part that is left, and no other that has the place by now.
    const auto free_bytes = devices.memory(0).free_bytes();
    const auto other = devices.memory(1).allocate(q);
    REQUIRE(other);
    CHECK(devices.free(*shared));
    CHECK(devices.memory(0).free_bytes() == free_bytes + q);
    CHECK(devices.memory(1).check(*other) == error::none);
    CHECK(devices.free(*shared).error() == refused(error::stale_handle));
    // The same with a fence, and with a program.
    const auto late = devices.allocate(q);
    CHECK(devices.memory(0).free(devices.part(*late, 0)));
    CHECK(devices.free(*late, devices.issued()));
    CHECK(devices.memory(1).check(*other) == error::none);
    CHECK(devices.check(*late) == error::stale_handle);
    const auto halved = devices.load({.name = "halved", .code = q});
    CHECK(devices.memory(0).unload(devices.part(*halved, 0)));
    CHECK(devices.evict(*halved).error() == mesh_failure{{.reason = error::stale_handle}, 0, 0});
    CHECK(devices.unload(*halved));
    CHECK(devices.check(*halved) == error::stale_handle);
    CHECK(devices.memory(1).free_bytes() == 8 * q);  // but for `other` and the buffer that was allocated above
}

TEST_CASE("a mesh of no devices refuses everything") {
    const auto expect_refusal = [](auto devices) {
        CHECK(devices.devices() == 0);
        CHECK(devices.allocate(q).error() == mesh_failure{{.reason = error::no_devices}});
        CHECK(devices.load({.code = q}).error() == mesh_failure{{.reason = error::no_devices}});
        CHECK(devices.run({}, {}).error().why.reason == error::stale_handle);
        devices.sync();
        CHECK(devices.reached() == fence{});
        CHECK(devices == devices);
    };
    expect_refusal(mesh<tpu_memory>{});
    expect_refusal(mesh<tpu_memory>({2, 2}, {of(10), of(10), of(10)}));
    expect_refusal(mesh<tpu_memory>({0, 2}, of(10)));
    mesh<tpu_memory> impossible({1, 1}, {.capacity = 10 * q, .quantum = 3});
    CHECK(impossible.allocate(q).error() == mesh_failure{impossible.memory(0).allocate(q).error(), 0, 0});
    CHECK(impossible.allocate(q).error().why.reason == error::bad_quantum);
}

TEST_CASE("a run is over on a mesh when it is over on all devices") {
    mesh<manager<best_fit>> devices({1, 2}, {of(10, 0), of(10, 2)});
    const auto step = devices.load({.name = "step", .code = q});
    const auto input = devices.allocate(q);
    const auto first = devices.run(*step, {.inputs = {*input}});
    REQUIRE(first);
    CHECK(first->over == fence{1});
    CHECK(devices.reached() == fence{});  // the second device is still at it
    const auto second = devices.run(*step, {});
    REQUIRE(second);
    CHECK(devices.issued() == fence{2});
    CHECK(devices.free(*input));
    CHECK(devices.memory(0).free_bytes() == 9 * q);
    CHECK(devices.memory(1).free_bytes() == 8 * q);
    CHECK(devices.retire(first->over));
    CHECK(devices.memory(1).free_bytes() == 9 * q);
    CHECK(devices.reached() == fence{1});
    // Fences are the mesh's own: one device may have run things by itself.
    REQUIRE(devices.memory(1).run(devices.part(*step, 1), {}));
    const auto third = devices.run(*step, {});
    REQUIRE(third);
    CHECK(third->over == fence{3});
    CHECK(devices.memory(1).issued() == fence{4});
    const auto late = devices.allocate(q);
    CHECK(devices.free(*late, third->over));
    CHECK(devices.retire(second->over));
    CHECK(devices.memory(1).reached() == fence{2});
    CHECK(devices.memory(1).free_bytes() == 8 * q);
    CHECK(devices.retire(third->over));
    CHECK(devices.memory(1).free_bytes() == 9 * q);
    CHECK(devices.reached() == fence{3});
}

TEST_CASE("observers hear nothing of what fails elsewhere, or of rehearsals") {
    using observed = manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, event_log>;
    mesh<observed> devices({1, 2}, {of(10), of(5)});
    REQUIRE(devices.allocate(q));
    const std::size_t heard = devices.memory(0).events().events.size();
    CHECK_FALSE(devices.allocate(6 * q));
    CHECK_FALSE(devices.load({.code = 6 * q}));
    CHECK(devices.memory(0).events().events.size() == heard);
    CHECK(devices.memory(1).events().events.size() == heard);
    REQUIRE(devices.load({.code = q}));
    CHECK(devices.memory(0).events().events.size() == heard + 1);
}

constexpr bool trains_in_constant_evaluation() {
    mesh<tpu_memory> devices({1, 2}, {of(10), of(16)});
    const auto state = devices.allocate({4 * q, 6 * q}, "state");
    const auto step = devices.load({.name = "step", .code = q, .scratch = q});
    if (!state || !step) return false;
    const auto ran = devices.run(*step, {.donated = {*state}, .outputs = {{4 * q, 6 * q}, q}});
    if (!ran || ran->donated != 2) return false;
    const auto before = devices.fork();
    const auto failed = devices.allocate(6 * q);
    return !failed && failed.error().partition == 0 && devices.fork() == before && devices.free(ran->outputs[1]);
}
static_assert(trains_in_constant_evaluation());
static_assert(std::regular<mesh<tpu_memory>>);
static_assert(std::is_same_v<mesh<tpu_memory>::forked, mesh<tpu_memory>>);

// -- stories --

struct story_buffer {
    mesh_buffer handle;
    std::vector<buffer> parts;
    std::uint64_t pins = 0;
};
struct story_program {
    mesh_program handle;
    std::vector<program> parts;
};

// A mesh, and as many plain managers, of which copies are tried until one fails.
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
            take_a_step();
            REQUIRE(mesh_.devices() == plain_.size());
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

    // Does `call` on copies; the first failure counts. Compares with what the mesh said.
    template <class Call, class Outcome>
    bool agrees(const Outcome& outcome, Call call) {
        std::vector<Manager> tried = plain_;
        mesh_failure expected;
        for (std::size_t device = 0; device < tried.size() && expected.why.reason == error::none; ++device) {
            const auto done = call(tried[device], device);
            if (!done) expected = {done.error(), mesh_.shape().replica(device), mesh_.shape().partition(device)};
        }
        failed_ = !outcome;
        REQUIRE(outcome.has_value() == (expected.why.reason == error::none));
        if (!outcome) {
            REQUIRE(outcome.error() == expected);
            ++failures;
            return false;
        }
        ++successes;
        plain_ = std::move(tried);
        return true;
    }

    std::vector<std::uint64_t> sizes(std::uint64_t most) {
        const bool even = random_.once_in(2);
        const std::uint64_t same = random_.below(most * q);
        std::vector<std::uint64_t> sizes(plain_.size(), same);
        if (!even)
            for (std::uint64_t& size : sizes) size = random_.below(most * q);
        return sizes;
    }
    const char* name() { return names[random_.below(3)]; }
    // Now and then one that ended long ago.
    template <class T>
    std::size_t any(const std::vector<T>& items) {
        return random_.below(items.size());
    }

    void take_a_step() {
        switch (random_.below(14)) {
        case 0:
        case 1:
        case 2:
            return allocate();
        case 3:
        case 4:
            return free();
        case 5:
            return load();
        case 6:
        case 7:
        case 8:
        case 9:
            return run();
        case 10:
            return handle_program();
        case 11:
            return pin();
        case 12:
            return retire();
        default:
            if (random_.once_in(3)) {
                mesh_.sync();
                for (Manager& memory : plain_) memory.sync();
                failed_ = false;
            }
        }
    }

    void allocate() {
        const auto bytes = sizes(14);
        const char* label = name();
        const request like{.alignment = random_.once_in(4) ? 2 * q : 0,
                           .preferred = random_.once_in(4) ? side::high : side::any};
        story_buffer made;
        const auto outcome = mesh_.allocate(bytes, label, like);
        if (!agrees(outcome, [&](Manager& memory, std::size_t device) {
                request asked = like;
                asked.bytes = bytes[device];
                asked.label = memory.tag_of(label);
                const auto got = memory.allocate(asked);
                if (got) made.parts.push_back(*got);
                return got;
            }))
            return;
        made.handle = *outcome;
        expect_parts(made);
        buffers_.push_back(made);
    }
    void expect_parts(const story_buffer& made) {
        for (std::size_t device = 0; device < plain_.size(); ++device)
            REQUIRE(mesh_.part(made.handle, device) == made.parts[device]);
    }

    void free() {
        if (buffers_.empty()) return;
        const std::size_t at = any(buffers_);
        const story_buffer freed = buffers_[at];
        if (random_.once_in(3) && !fences_.empty()) {
            const std::size_t run = any(fences_);
            const auto outcome = mesh_.free(freed.handle, fence{run + 1});
            agrees(outcome, [&](Manager& memory, std::size_t device) {
                return memory.free(freed.parts[device], fences_[run][device]);
            });
        } else {
            const auto outcome = mesh_.free(freed.handle);
            agrees(outcome, [&](Manager& memory, std::size_t device) { return memory.free(freed.parts[device]); });
        }
        REQUIRE(mesh_.check(freed.handle) == error::stale_handle);
        buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void load() {
        const program_spec spec{.name = name(), .code = random_.below(10 * q), .scratch = random_.below(10 * q)};
        story_program made;
        const auto outcome = mesh_.load(spec);
        if (!agrees(outcome, [&](Manager& memory, std::size_t) {
                const auto got = memory.load(spec);
                if (got) made.parts.push_back(*got);
                return got;
            }))
            return;
        made.handle = *outcome;
        programs_.push_back(made);
    }
    void handle_program() {
        if (programs_.empty()) return;
        const std::size_t at = any(programs_);
        const story_program each = programs_[at];
        switch (random_.below(4)) {
        case 0:
            agrees(mesh_.unload(each.handle),
                   [&](Manager& memory, std::size_t device) { return memory.unload(each.parts[device]); });
            programs_.erase(programs_.begin() + static_cast<std::ptrdiff_t>(at));
            break;
        case 1:
            agrees(mesh_.evict(each.handle),
                   [&](Manager& memory, std::size_t device) { return memory.evict(each.parts[device]); });
            break;
        default:
            agrees(mesh_.load(each.handle),
                   [&](Manager& memory, std::size_t device) { return memory.load(each.parts[device]); });
        }
    }

    void pin() {
        if (buffers_.empty()) return;
        story_buffer& each = buffers_[any(buffers_)];
        if (random_.once_in(2)) {
            if (agrees(mesh_.pin(each.handle),
                       [&](Manager& memory, std::size_t device) { return memory.pin(each.parts[device]); }))
                ++each.pins;
        } else if (agrees(mesh_.unpin(each.handle),
                          [&](Manager& memory, std::size_t device) { return memory.unpin(each.parts[device]); })) {
            --each.pins;
        }
    }

    void retire() {
        if (fences_.empty()) return;
        const std::size_t run = any(fences_);
        agrees(mesh_.retire(fence{run + 1}),
               [&](Manager& memory, std::size_t device) { return memory.retire(fences_[run][device]); });
    }

    void run() {
        if (programs_.empty()) return;
        const story_program each = programs_[any(programs_)];
        std::vector<std::size_t> inputs;
        std::vector<std::size_t> donated;
        for (std::size_t at = 0; at < buffers_.size(); ++at) {
            if (random_.once_in(5)) donated.push_back(at);
            if (random_.once_in(6) && (donated.empty() || donated.back() != at || random_.once_in(8)))
                inputs.push_back(at);
        }
        std::vector<std::vector<std::uint64_t>> bytes(random_.below(4));
        std::vector<const char*> labels;
        std::vector<std::uint32_t> partners(bytes.size(), no_index);
        std::vector<aliasing> aliases(bytes.size(), aliasing::any);
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            bytes[at] = sizes(6);
            if (!donated.empty() && random_.once_in(2)) {  // as large as a donor
                const std::size_t donor = any(donated);
                for (std::size_t device = 0; device < plain_.size(); ++device)
                    bytes[at][device] = plain_[device].granted(buffers_[donated[donor]].parts[device]);
                if (random_.once_in(2)) {
                    partners[at] = static_cast<std::uint32_t>(donor);
                    aliases[at] = random_.once_in(2) ? aliasing::must : aliasing::may;
                }
            }
            labels.push_back(name());
        }
        std::vector<std::uint32_t> kept;
        for (std::uint32_t at = 0; at < donated.size(); ++at)
            if (random_.once_in(4)) kept.push_back(at);

        std::vector<mesh_buffer> mesh_inputs;
        std::vector<mesh_buffer> mesh_donated;
        for (const std::size_t at : inputs) mesh_inputs.push_back(buffers_[at].handle);
        for (const std::size_t at : donated) mesh_donated.push_back(buffers_[at].handle);
        std::vector<mesh_output> mesh_outputs;
        for (std::size_t at = 0; at < bytes.size(); ++at)
            mesh_outputs.emplace_back(shares(bytes[at]), labels[at], aliases[at], partners[at]);
        std::uint64_t taken = 0;
        std::uint32_t reloaded = 0;
        std::vector<story_buffer> made(bytes.size());
        std::vector<fence> over;
        const auto outcome = mesh_.run(
            each.handle, {.inputs = mesh_inputs, .donated = mesh_donated, .outputs = mesh_outputs, .kept = kept});
        if (!agrees(outcome, [&](Manager& memory, std::size_t device) {
                std::vector<buffer> own_inputs;
                std::vector<buffer> own_donated;
                for (const std::size_t at : inputs) own_inputs.push_back(buffers_[at].parts[device]);
                for (const std::size_t at : donated) own_donated.push_back(buffers_[at].parts[device]);
                std::vector<output> outputs;
                for (std::size_t at = 0; at < bytes.size(); ++at)
                    outputs.emplace_back(bytes[at][device], memory.tag_of(labels[at]), aliases[at], partners[at]);
                const auto ran =
                    memory.run(each.parts[device],
                               {.inputs = own_inputs, .donated = own_donated, .outputs = outputs, .kept = kept});
                if (!ran) return ran;
                for (std::size_t at = 0; at < bytes.size(); ++at) made[at].parts.push_back(ran->outputs[at]);
                over.push_back(ran->over);
                taken += ran->donated;
                reloaded += ran->reloaded ? 1u : 0u;
                return ran;
            }))
            return;
        fences_.push_back(over);
        REQUIRE(outcome->over == fence{fences_.size()});
        REQUIRE(outcome->donated == taken);
        REQUIRE(outcome->reloaded == reloaded);
        REQUIRE(outcome->outputs.size() == made.size());
        std::vector<bool> is_kept(donated.size(), false);
        for (const std::uint32_t at : kept) is_kept[at] = true;
        for (std::size_t at = donated.size(); at-- > 0;) {
            if (is_kept[at]) {
                REQUIRE(mesh_.check(mesh_donated[at]) == error::none);
                continue;
            }
            REQUIRE(mesh_.check(mesh_donated[at]) == error::stale_handle);
            buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(donated[at]));
        }
        for (std::size_t at = 0; at < made.size(); ++at) {
            made[at].handle = outcome->outputs[at];
            expect_parts(made[at]);
            buffers_.push_back(made[at]);
        }
        fence reached{fences_.size()};
        while (reached.number > 0) {
            bool all = true;
            for (std::size_t device = 0; device < plain_.size(); ++device)
                all = all && fences_[reached.number - 1][device] <= plain_[device].reached();
            if (all) break;
            --reached.number;
        }
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
        story<Manager> told(seed);
        told.play(80);
        failures += told.failures;
        successes += told.successes;
        relieved += told.relieved;
    }
    if (!tries_all_seeds()) return;
    CHECK(failures > 100);
    CHECK(successes > 500);
    CHECK(relieved > 0);
}

TEST_CASE("a mesh is its managers driven together, or untouched") {
    expect_agreement<tpu_memory>();
    expect_agreement<manager<best_fit>>();
    expect_agreement<manager<compacting<buddy>, evict_greedy_dual, donate_fitting>>();
    expect_agreement<manager<bottom_reserve<first_fit, scratch_sharing::per_program>, evict_lru, donate_same_size>>();
    expect_agreement<
        manager<compacting<good_fit>, evict_cheapest_window, donate_fitting, evict_first, no_device, statistics>>();
}

// -- a device that fails to copy --

class failing_device {
public:
    static constexpr fixed_string name{"failing_device"};
    std::uint64_t copies_until_failure = ~std::uint64_t{0};

    bool copy(std::uint64_t, std::uint64_t, std::uint64_t) {
        if (copies_until_failure == 0) return false;
        --copies_until_failure;
        return true;
    }
    friend bool operator==(const failing_device&, const failing_device&) = default;
};
using failing_memory = manager<compacting<best_fit>, evict_lru, donate_same_size, compact_first, failing_device>;

// Two quanta free on each device, apart on some: what is two quanta long then needs a move.
struct scattered_mesh {
    mesh<failing_memory> devices;
    mesh_buffer state;     // two quanta
    mesh_program step;     // runs
    mesh_program evicted;  // two quanta, once it is back

    explicit scattered_mesh(std::initializer_list<std::size_t> apart) : devices({1, 3}, of(8)) {
        const auto gone = devices.load({.name = "gone", .code = 2 * q});
        REQUIRE(gone);
        REQUIRE(devices.evict(*gone));
        const auto held = devices.allocate(2 * q, "state");
        const auto loaded = devices.load({.name = "step", .code = q});
        const auto first = devices.allocate(q);
        const auto second = devices.allocate(q);
        const auto third = devices.allocate(q);
        REQUIRE(held);
        REQUIRE(loaded);
        REQUIRE(first);
        REQUIRE(second);
        REQUIRE(third);
        REQUIRE(devices.allocate(2 * q));
        state = *held;
        step = *loaded;
        evicted = *gone;
        REQUIRE(devices.free(*first));
        for (std::size_t device = 0; device < 3; ++device) {
            bool scattered = false;
            for (const std::size_t each : apart) scattered = scattered || each == device;
            REQUIRE(devices.memory(device).free(devices.part(scattered ? *third : *second, device)));
            REQUIRE(devices.memory(device).largest_free_bytes() == (scattered ? q : 2 * q));
        }
    }
    mesh_result<mesh_run_result> run() {
        return devices.run(step, {.donated = {state}, .outputs = {2 * q, {2 * q, "new"}}});
    }
    void fail(std::size_t device) { devices.memory(device).device().copies_until_failure = 0; }
    void repair(std::size_t device) { devices.memory(device).device().copies_until_failure = 100; }
};

TEST_CASE("devices that must move blocks go first, so that one alone breaks nothing when it fails") {
    for (std::size_t failing = 0; failing < 3; ++failing) {
        CAPTURE(failing);
        scattered_mesh told({failing});
        told.fail(failing);
        const auto before = told.devices.fork();
        const auto expect_nothing = [&](const auto& outcome) {
            REQUIRE_FALSE(outcome);
            CHECK(outcome.error().why.reason == error::device_failed);
            CHECK(outcome.error().partition == failing);
            CHECK(told.devices.fork() == before);
        };
        expect_nothing(told.devices.allocate(2 * q));
        expect_nothing(told.devices.load({.name = "other", .code = 2 * q}));
        expect_nothing(told.devices.load(told.evicted));
        expect_nothing(told.run());
        told.repair(failing);
        CHECK(told.run());
    }
}

TEST_CASE("when several must move and a later one fails, the earlier ones give back what they got") {
    const auto expect_nothing_new = [](scattered_mesh& told, const auto& outcome) {
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().why.reason == error::device_failed);
        CHECK(outcome.error().partition == 1);
        for (std::size_t device = 0; device < 3; ++device) {
            const failing_memory& memory = told.devices.memory(device);
            CHECK(memory.free_bytes() == 2 * q);
            CHECK(memory.largest_free_bytes() == (device == 0 ? 2 * q : q));  // the first has moved what it had to
            CHECK(memory.about(told.devices.part(told.step, device)).resident);
            CHECK_FALSE(memory.about(told.devices.part(told.evicted, device)).resident);
            CHECK(memory.granted(told.devices.part(told.state, device)) == 2 * q);
        }
        told.repair(1);
        CHECK(told.run());
    };
    const auto failing = [] {
        scattered_mesh told({0, 1, 2});
        told.fail(1);
        return told;
    };
    scattered_mesh allocating = failing();
    expect_nothing_new(allocating, allocating.devices.allocate(2 * q));
    scattered_mesh loading = failing();
    expect_nothing_new(loading, loading.devices.load({.name = "other", .code = 2 * q}));
    scattered_mesh reloading = failing();
    expect_nothing_new(reloading, reloading.devices.load(reloading.evicted));
}

TEST_CASE("a run that was done before another device failed cannot give donated buffers back") {
    scattered_mesh told({0, 1, 2});
    told.fail(1);
    const auto plain = told.devices.memory(2).copy();
    const auto failed = told.run();
    REQUIRE_FALSE(failed);
    CHECK(failed.error().why.reason == error::device_failed);
    CHECK(failed.error().partition == 1);
    CHECK(told.devices.issued() == fence{});
    // None holds the result; the state lost its part on the device that ran, and only there.
    CHECK(told.devices.memory(0).free_bytes() == 4 * q);
    CHECK(told.devices.memory(2) == plain);
    CHECK(told.devices.check(told.state) == error::none);
    CHECK(told.devices.part(told.state, 0) == buffer{});
    CHECK(told.devices.memory(1).granted(told.devices.part(told.state, 1)) == 2 * q);
    // Using it says what is missing; freeing it frees what is left.
    CHECK(told.devices.run(told.step, {.inputs = {told.state}}).error() ==
          mesh_failure{{.reason = error::stale_handle, .argument = 0}, 0, 0});
    CHECK(told.devices.pin(told.state).error() == mesh_failure{{.reason = error::stale_handle}, 0, 0});
    CHECK(told.devices.free(told.state));
    CHECK(told.devices.memory(1).free_bytes() == 4 * q);
    CHECK(told.devices.memory(2).free_bytes() == 4 * q);
    // Later runs have fences of the mesh again.
    told.repair(1);
    const auto ran = told.devices.run(told.step, {.outputs = {2 * q}});
    REQUIRE(ran);
    CHECK(ran->over == fence{1});
    CHECK(told.devices.reached() == fence{1});
    CHECK(told.devices.memory(0).issued() == fence{2});
}

}  // namespace
}  // namespace hbm::test::mesh_tests
