#include "runtime.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace runtime_client {

namespace {

constexpr std::uint64_t pinned_bytes = std::uint64_t{1} << 20;

std::uint64_t bytes_of(const shape& of) {
    std::uint64_t bytes = sizeof(float);
    for (const std::uint64_t dimension : of) bytes *= dimension;
    return bytes;
}

}  // namespace

void device_buffer::release::operator()(device* on) const {
    on->free(handle);
}

device::device(const hbm::memory_spec& spec, std::uint32_t number)
    : memories_({spec, {.name = "pinned", .capacity = pinned_bytes}},
                {.memories = {{.device = hbm::host_device(spec.capacity), .events = {&queue_}},
                              {.device = hbm::host_device(pinned_bytes)}},
                 .salt = number + 1}) {}

std::optional<hbm::set_buffer> device::stage(std::uint64_t bytes, std::unique_lock<std::mutex>& held) {
    while (true) {
        end_transfers();
        if (const auto staged = memories_.allocate("pinned_host", bytes)) return *staged;
        if (transfers_.empty()) return std::nullopt;
        wait_without(held, transfers_.front().over);
    }
}
void device::end_transfers() {
    std::erase_if(transfers_, [&](const transfer& each) {
        if (each.over > memory().reached()) return false;
        memory().unpin(each.target);  // without effect if it was freed meanwhile
        memories_.free(each.staged);
        return true;
    });
}

std::optional<device_buffer> device::from_host(const shape& of, std::span<const float> values, const char* name) {
    const auto allocate = [&](auto& memory) { return memory.allocate(bytes_of(of), name); };
    auto held = lock_for(allocate);
    const hbm::result<hbm::buffer> target = allocate(memory());
    if (failed(target)) return std::nullopt;
    const auto staged = stage(bytes_of(of), held);
    if (!staged) return why_ = "too long for the pinned memory", memory().free(*target), std::nullopt;
    std::memcpy(pinned_at(*staged), values.data(), values.size_bytes());
    // Nothing in flight uses memory that was free, and while it is pinned the target stays where it is.
    memory().pin(*target);
    const hbm::fence there = memory().issue({.us = 10});
    queue_.submit(there.number, [to = values_of(*target), from = pinned_at(*staged), bytes = values.size_bytes()] {
        std::memcpy(to, from, bytes);
    });
    transfers_.push_back({there, *staged, *target});
    return device_buffer(*this, *target, of, there);
}

std::optional<executable> device::load(const program_image& image) {
    const auto load_image = [&](auto& memory) {
        return memory.load({.name = image.name, .code = image.code.size(), .scratch = image.scratch});
    };
    const auto held = lock_for(load_image);
    const hbm::result<hbm::program> handle = load_image(memory());
    if (failed(handle)) return std::nullopt;
    const executable loaded{*handle, &image};
    copy_code(loaded);
    return loaded;
}

std::optional<std::vector<device_buffer>> device::execute(executable program, std::span<const argument> given) {
    std::unique_lock held(mutex_);
    // What is pinned can be neither donated nor moved: the transfers of the arguments end first.
    hbm::fence ready;
    for (const argument& input : given) ready = std::max(ready, input.buffer->ready());
    if (!transfers_.empty() && transfers_.front().over <= ready && ready > memory().reached())
        wait_without(held, ready);
    end_transfers();
    std::vector<hbm::output> outputs;
    for (const shape& output : program.image->outputs) outputs.emplace_back(bytes_of(output));
    std::vector<hbm::buffer> donated;
    for (const argument& input : given)
        if (input.donated) donated.push_back(input.buffer->handle());

    // A donated buffer that no output takes over loses its handle with the call, but the kernel has to find it: it is
    // an input instead, and is freed afterwards.
    const auto takers = memory().donors_of({.donated = donated, .outputs = outputs});
    std::vector<hbm::buffer> inputs;
    std::vector<std::uint32_t> taker_of(given.size(), hbm::no_index);
    std::uint32_t donor = 0;
    donated.clear();
    for (std::size_t at = 0; at < given.size(); ++at) {
        const hbm::buffer handle = given[at].buffer->handle();
        if (given[at].donated) {
            const auto* const taker = std::find(takers.begin(), takers.end(), donor++);
            if (taker != takers.end()) taker_of[at] = static_cast<std::uint32_t>(taker - takers.begin());
        }
        (taker_of[at] == hbm::no_index ? inputs : donated).push_back(handle);
    }

    const hbm::run_spec spec{.inputs = inputs,
                             .donated = donated,
                             .outputs = outputs,
                             .run_us = program.image->run_us,
                             .arguments_may_move = true};
    const auto run = [&](auto& memory) { return memory.run(program.handle, spec); };
    held.unlock();
    held = lock_for(run);
    const hbm::result<hbm::run_result> ran = run(memory());
    if (failed(ran)) return std::nullopt;
    if (ran->reloaded) copy_code(program);

    // Arguments may have moved to make room. From here until the run is over they stay where they are, and so do code
    // and outputs: addresses are read now.
    kernel_call call{
        .scratch = at<float>(0), .code = at(memory().where(program.handle).offset), .rows = given[0].buffer->of()[0]};
    std::vector<device_buffer> results;
    for (std::size_t output = 0; output < outputs.size(); ++output) {
        call.outputs.push_back(values_of(ran->outputs[output]));
        results.emplace_back(*this, ran->outputs[output], program.image->outputs[output], ran->over);
    }
    for (std::size_t input = 0; input < given.size(); ++input)
        call.inputs.push_back(taker_of[input] == hbm::no_index ? values_of(given[input].buffer->handle())
                                                               : call.outputs[taker_of[input]]);
    queue_.submit(ran->over.number, [kernel = program.image->kernel, call = std::move(call)] { kernel(call); });

    held.unlock();
    // A free takes effect when the run is over.
    for (std::size_t input = 0; input < given.size(); ++input)
        if (taker_of[input] != hbm::no_index)
            given[input].buffer->forget();
        else if (given[input].donated)
            *given[input].buffer = {};
    return results;
}

std::vector<float> device::to_host(const device_buffer& from) {
    const std::uint64_t bytes = bytes_of(from.of());
    std::unique_lock held(mutex_);
    const auto staged = stage(bytes, held);
    if (!staged) return {};
    // After `compact` a buffer can be in two places: `pin` brings it to one.
    memory().pin(from.handle());
    const hbm::fence there = memory().issue({.us = 10});
    queue_.submit(there.number, [to = pinned_at(*staged), values = values_of(from.handle()), bytes] {
        std::memcpy(to, values, bytes);
    });
    wait_without(held, there);
    memory().unpin(from.handle());
    std::vector<float> values(bytes / sizeof(float));
    std::memcpy(values.data(), pinned_at(*staged), bytes);
    memories_.free(*staged);
    return values;
}

void device::copy_code(executable loaded) {
    std::memcpy(at(memory().where(loaded.handle).offset), loaded.image->code.data(), loaded.image->code.size());
}

}  // namespace runtime_client
