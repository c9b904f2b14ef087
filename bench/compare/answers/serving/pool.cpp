#include "compare/answers/serving/pool.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace hbm::compare {

namespace {

std::uint64_t less(std::uint64_t whole, std::uint64_t part) noexcept {
    return whole > part ? whole - part : 0;
}

}  // namespace

std::uint64_t in_quanta(std::uint64_t bytes, std::uint64_t quantum) noexcept {
    return saturating_add(bytes, quantum - 1) / quantum * quantum;
}

largest_pool pool_in(const memory_spec& device, const served_memory& memory) {
    largest_pool result;
    result.weights = in_quanta(*memory.weights, device.quantum);
    for (const served_program& program : memory.programs) {
        // A program without code or constants has a quantum.
        result.code = saturating_add(result.code, in_quanta(std::max<std::uint64_t>(program.code, 1), device.quantum));
        result.scratch = std::max(result.scratch, in_quanta(program.scratch, device.quantum));
        if (program.fresh_outputs <= saturating_add(program.kept, program.donated))
            result.outputs = std::max(result.outputs, program.output_room);
    }
    const std::uint64_t room = less(device.capacity, device.top_reserved) / device.quantum * device.quantum;
    const std::uint64_t needed = saturating_add(saturating_add(result.weights, result.code), result.scratch);
    result.missing = less(needed, room);
    result.pool = less(room, needed);
    if (memory.failed_use)
        result.pool = std::min(result.pool, less(*memory.failed_use, result.weights) / device.quantum * device.quantum);
    result.running = less(result.pool, result.outputs);
    return result;
}

std::uint64_t share_in_thousandths(const memory_spec& device, std::uint64_t weights, std::uint64_t pool) {
    const std::uint64_t thousandth = device.capacity / 1000 + (device.capacity % 1000 == 0 ? 0 : 1);
    const std::uint64_t used = std::min(saturating_add(weights, pool), device.capacity);
    return thousandth == 0 ? 0 : used / thousandth;
}

std::uint64_t excess_on_device(const server& of) noexcept {
    std::uint64_t excess = 0;
    for (const served_program& program : of.memory.programs) excess = std::max(excess, program.missing);
    const std::uint64_t here = of.device.capacity, there = of.log_capacity;
    // Within rounding it is the device of the log; a smaller one is an error before.
    if (there == 0 || here < there || here - there < here / 50) return excess;
    return excess - std::min(excess, here - there);
}

std::vector<std::size_t> load_order(const std::vector<served_program>& programs) {
    std::vector<std::size_t> order(programs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        const served_program& a = programs[left];
        const served_program& b = programs[right];
        return std::tuple(b.scratch, b.code, left) < std::tuple(a.scratch, a.code, right);
    });
    return order;
}

const memory_spec* next_larger(const memory_spec& device) noexcept {
    const memory_spec* next = nullptr;
    for (const memory_spec& generation : tpu::generations)
        if (generation.capacity > device.capacity && (next == nullptr || generation.capacity < next->capacity))
            next = &generation;
    return next;
}

}  // namespace hbm::compare
