#include "runtime.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace runtime_client {

namespace {

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
    : memory_(spec, {.device = hbm::host_device(spec.capacity), .events = {&queue_}, .salt = number + 1}) {}

std::optional<device_buffer> device::from_host(const shape& of, std::span<const float> values, const char* name) {
    const auto allocate = [&](auto& memory) { return memory.allocate(bytes_of(of), name); };
    const auto held = lock_for(allocate);
    const hbm::result<hbm::buffer> target = allocate(memory_);
    if (failed(target)) return std::nullopt;
    // No run in flight uses memory that was free, so it can be written at once.
    std::memcpy(values_of(*target), values.data(), values.size_bytes());
    return device_buffer(*this, *target, of, {});
}

std::optional<executable> device::load(const program_image& image) {
    const auto load_image = [&](auto& memory) {
        return memory.load({.name = image.name, .code = image.code.size(), .scratch = image.scratch});
    };
    const auto held = lock_for(load_image);
    const hbm::result<hbm::program> handle = load_image(memory_);
    if (failed(handle)) return std::nullopt;
    const executable loaded{*handle, &image};
    copy_code(loaded);
    return loaded;
}

std::optional<std::vector<device_buffer>> device::execute(executable program, std::span<const argument> given) {
    std::unique_lock held(mutex_);
    std::vector<hbm::output> outputs;
    for (const shape& output : program.image->outputs) outputs.emplace_back(bytes_of(output));
    std::vector<hbm::buffer> donated;
    for (const argument& input : given)
        if (input.donated) donated.push_back(input.buffer->handle());

    // A donated buffer that no output takes over loses its handle with the call, but the kernel has to find it: it is
    // an input instead, and is freed afterwards.
    const auto takers = memory_.donors_of({.donated = donated, .outputs = outputs});
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
    const hbm::result<hbm::run_result> ran = run(memory_);
    if (failed(ran)) return std::nullopt;
    if (ran->reloaded) copy_code(program);

    // Arguments may have moved to make room. From here until the run is over they stay where they are, and so do code
    // and outputs: addresses are read now.
    kernel_call call{
        .scratch = at<float>(0), .code = at(memory_.where(program.handle).offset), .rows = given[0].buffer->of()[0]};
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
    queue_.wait(from.ready().number);
    const std::lock_guard held(mutex_);
    memory_.retire(from.ready());
    // After `compact` a buffer can be in two places: it is to be in one.
    memory_.finish_moves();
    const float* const values = values_of(from.handle());
    return {values, values + bytes_of(from.of()) / sizeof(float)};
}

void device::copy_code(executable of) {
    std::memcpy(at(memory_.where(of.handle).offset), of.image->code.data(), of.image->code.size());
}

}  // namespace runtime_client
