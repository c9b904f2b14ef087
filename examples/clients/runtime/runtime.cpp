#include "runtime.hpp"

#include <hbm/device/host_device.hpp>
#include <hbm/explain/explain.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace runtime_client {

std::uint64_t shape::bytes() const {
    std::uint64_t bytes = type == dtype::f32 ? 4 : 8;
    for (const std::uint64_t each : dimensions) bytes *= each;
    return bytes;
}

device_buffer::~device_buffer() {
    if (on_ != nullptr) on_->free(handle_);
}

device::device(const hbm::memory_spec& spec, std::uint32_t number)
    : memory_(spec, {.device = hbm::host_device(spec.capacity), .events = {&queue_}, .salt = number + 1}) {}

std::optional<device_buffer> device::from_host(const shape& of, std::span<const float> values, const char* name) {
    const auto allocate = [&](auto& memory) { return memory.allocate(of.bytes(), name); };
    const auto held = lock_for(allocate);
    const hbm::result<hbm::buffer> made = allocate(memory_);
    if (!made) {
        why_ = hbm::explain(memory_, made.error());
        return std::nullopt;
    }
    // What was given is free memory: no run in flight uses it, so it can be written at once.
    std::memcpy(at(memory_.where(*made).offset), values.data(), values.size_bytes());
    return device_buffer(*this, *made, of, {});
}

std::optional<executable> device::load(const program_image& image) {
    const auto load_image = [&](auto& memory) {
        return memory.load({.name = image.name, .code = image.code.size(), .scratch = image.scratch});
    };
    const auto held = lock_for(load_image);
    const hbm::result<hbm::program> made = load_image(memory_);
    if (!made) {
        why_ = hbm::explain(memory_, made.error());
        return std::nullopt;
    }
    const executable loaded{*made, &image};
    copy_code(loaded);
    return loaded;
}

std::optional<std::vector<device_buffer>> device::execute(executable program, std::span<const argument> given) {
    std::unique_lock held(mutex_);
    std::vector<hbm::output> outputs;
    for (const shape& each : program.image->outputs) outputs.emplace_back(each.bytes());
    std::vector<hbm::buffer> donated;
    for (const argument& each : given)
        if (each.donated) donated.push_back(each.buffer->handle());

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

    const hbm::run_spec spec{.inputs = inputs, .donated = donated, .outputs = outputs, .run_us = program.image->run_us};
    const auto run = [&](auto& memory) { return memory.run(program.handle, spec); };
    held.unlock();
    held = lock_for(run);
    hbm::result<hbm::run_result> ran = run(memory_);
    if (!ran) {
        // A run does not move its own arguments to make room, but that may be what helps. The explanation has tried it.
        const hbm::explanation found = hbm::explanation_of(memory_, ran.error());
        why_ = to_text(found);
        if (found.remedies.empty() || !found.remedies[0].what.is_only_steps()) return std::nullopt;
        if (!memory_.relieve(found.remedies[0].what.steps)) return std::nullopt;
        ++second_attempts_;
        ran = run(memory_);
        if (!ran) return std::nullopt;
    }
    if (ran->reloaded) copy_code(program);

    // Arguments may have moved to make room. From here until the run is over they stay where they are, and so do code
    // and outputs: addresses are asked for now.
    kernel_call call{.scratch = at(0), .code = code_of(program.handle), .rows = given[0].buffer->of().dimensions[0]};
    std::vector<device_buffer> made;
    for (std::size_t output = 0; output < outputs.size(); ++output) {
        call.outputs.push_back(at(memory_.where(ran->outputs[output]).offset));
        made.emplace_back(*this, ran->outputs[output], program.image->outputs[output], ran->over);
    }
    for (std::size_t each = 0; each < given.size(); ++each)
        call.inputs.push_back(taker_of[each] == hbm::no_index ? at(memory_.where(given[each].buffer->handle()).offset)
                                                              : call.outputs[taker_of[each]]);
    queue_.submit(ran->over.number, [kernel = program.image->kernel, call = std::move(call)] { kernel(call); });

    held.unlock();
    // A free takes effect when the run is over.
    for (std::size_t each = 0; each < given.size(); ++each)
        if (taker_of[each] != hbm::no_index)
            given[each].buffer->forget();
        else if (given[each].donated)
            *given[each].buffer = {};
    return made;
}

void device::await(hbm::fence until) {
    queue_.wait(until.number);
    const std::lock_guard held(mutex_);
    memory_.retire(until);
}

std::vector<float> device::to_host(const device_buffer& from) {
    await(from.ready());
    const std::lock_guard held(mutex_);
    // After `compact` a buffer can be in two places: it is to be in one.
    memory_.finish_moves();
    std::vector<float> values(from.of().bytes() / sizeof(float));
    std::memcpy(values.data(), at(memory_.where(from.handle()).offset), from.of().bytes());
    return values;
}

std::byte* device::code_of(hbm::program of) {
    return at(memory_.where(of).offset);
}

void device::copy_code(executable of) {
    std::memcpy(code_of(of.handle), of.image->code.data(), of.image->code.size());
}

}  // namespace runtime_client
