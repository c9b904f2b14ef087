// Trains a small linear model on two devices whose memory is too small for it: batches come and go in varied sizes, so
// that buffers move, and programs are evicted and come back. Another thread serves answers from the same devices
// meanwhile. Then two threads ask a mesh. The values are those of the same loops on plain vectors, bit for bit.
#include <hbm/adapt/synchronized_mesh.hpp>
#include <hbm/mesh.hpp>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kernels.hpp"
#include "runtime.hpp"

using namespace runtime_client;
using namespace hbm::literals;
using kernels::features;
using values = std::vector<float>;

namespace {

constexpr std::size_t steps = 120;
constexpr std::size_t batches_ahead = 3;  // on the device already when a step begins
constexpr std::uint64_t most_rows = 320;
constexpr std::uint64_t code_bytes = 192_KiB;
const shape weights_shape{features};

/// Returns a number below `limit`: a linear congruential generator with the constants of Knuth's MMIX.
std::uint64_t below(std::uint64_t limit, std::uint64_t& state) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
}

/// Rows of features, and the value to predict for each.
struct batch {
    values x;
    values y;
    std::uint64_t rows = 0;
};

std::vector<batch> batches_of(std::uint64_t seed) {
    const auto fraction = [&] { return static_cast<float>(below(2001, seed)) / 1000.0f - 1.0f; };
    values truth(features);
    for (float& weight : truth) weight = fraction();
    std::vector<batch> batches(steps);
    for (batch& next : batches) {
        next.rows = 32 + below(most_rows - 31, seed);
        for (std::uint64_t row = 0; row < next.rows; ++row) {
            float sum = 0.1f * fraction();
            for (const float weight : truth) sum += weight * next.x.emplace_back(fraction());
            next.y.push_back(sum);
        }
    }
    return batches;
}

// -- the programs ----------------------------------------------------------------------------------------------------

struct constants {
    float rate = 0;
    float decay = 0;
};
constexpr constants learning{0.004f, 0.5f};

/// Returns the code of a program, with its constants in front: a kernel reads them on the device, and would compute
/// nonsense if code that moved, or was evicted, were not where it should be. The last byte is read as well.
std::vector<std::byte> code_with(const constants& first, std::uint64_t size = code_bytes) {
    std::vector<std::byte> code(size);
    std::memcpy(code.data(), &first, sizeof first);
    code.back() = std::byte{42};
    return code;
}

/// Calls a kernel that takes weights and rows; the first argument has the rows.
template <auto Kernel>
void run_on_rows(const kernel_call& call) {
    Kernel(call.inputs[2], call.inputs[0], call.inputs[1], call.rows, call.scratch, call.outputs[0]);
}
void run_update(const kernel_call& call) {
    constants found;
    if (call.code[code_bytes - 1] == std::byte{42}) std::memcpy(&found, call.code, sizeof found);
    kernels::update(call.inputs[0], call.inputs[1], call.inputs[2], found.rate, found.decay, call.outputs[0],
                    call.outputs[1]);
}

// -- the loops -------------------------------------------------------------------------------------------------------

/// The result of a training loop.
struct trained {
    values weights;
    values errors;  // of the steps that look
    std::string failed;
};

float error_of(const values& weights, const batch& given) {
    values residual(most_rows);
    float error = 0;
    kernels::error(weights.data(), given.x.data(), given.y.data(), given.rows, residual.data(), &error);
    return error;
}

/// Trains on plain vectors; one step in `pace` looks at the error.
trained train_on_vectors(const std::vector<batch>& batches, std::size_t pace) {
    trained result{values(features), {}, {}};
    values momentum(features), gradient(features), residual(most_rows);
    float* const w = result.weights.data();
    for (std::size_t step = 0; step < steps; ++step) {
        const batch& now = batches[step];
        kernels::gradient(w, now.x.data(), now.y.data(), now.rows, residual.data(), gradient.data());
        kernels::update(w, momentum.data(), gradient.data(), learning.rate, learning.decay, w, momentum.data());
        if (step % pace == pace - 1) result.errors.push_back(error_of(result.weights, now));
    }
    return result;
}

/// A batch on a device; empty if there is no room.
struct device_batch {
    std::optional<device_buffer> x;
    std::optional<device_buffer> y;

    [[nodiscard]] explicit operator bool() const { return x && y; }
};
device_batch send(device& on, const batch& next) {
    return {on.from_host({next.rows, features}, next.x, "x"), on.from_host({next.rows}, next.y, "y")};
}

trained train_on(device& on, const std::vector<batch>& batches, std::size_t pace) {
    trained result;
    const auto failed = [&] { return trained{{}, {}, on.why()}; };
    const program_image images[] = {
        {"gradient", code_with({}), 256_KiB, 400, &run_on_rows<kernels::gradient>, {weights_shape}},
        {"update", code_with(learning), 0, 20, &run_update, {weights_shape, weights_shape}},
        {"error", code_with({}, 2 * code_bytes), 512_KiB, 300, &run_on_rows<kernels::error>, {{1}}}};
    const auto gradient = on.load(images[0]), update = on.load(images[1]), error = on.load(images[2]);
    auto weights = on.from_host(weights_shape, values(features), "weights");
    auto momentum = on.from_host(weights_shape, values(features), "momentum");
    if (!gradient || !update || !error || !weights || !momentum) return failed();

    std::vector<device_batch> there;
    for (std::size_t step = 0; step < steps; ++step) {
        for (; there.size() < steps && there.size() <= step + batches_ahead;)
            if (!there.emplace_back(send(on, batches[there.size()]))) return failed();
        device_batch& now = there[step];
        const bool looks = step % pace == pace - 1;

        // Nothing waits in a step that does not look: the host goes on while the device computes.
        auto slope = on.execute(*gradient, std::vector<argument>{{&*now.x}, {&*now.y, !looks}, {&*weights}});
        if (!slope) return failed();
        auto changed =
            on.execute(*update, std::vector<argument>{{&*weights, true}, {&*momentum, true}, {&slope->front(), true}});
        if (!changed) return failed();
        weights = std::move((*changed)[0]), momentum = std::move((*changed)[1]);
        if (looks) {
            const auto lost = on.execute(*error, std::vector<argument>{{&*now.x, true}, {&*now.y, true}, {&*weights}});
            if (!lost) return failed();
            result.errors.push_back(on.to_host(lost->front())[0]);
            on.tidy(64_KiB);
        }
        now = {};
    }
    result.weights = on.to_host(*weights);
    return result;
}

/// Asks one program for the same answer again and again, while another thread trains. Returns the answers.
values serve_on(device& on, const executable& error, const batch& question, const values& weights) {
    values answers;
    auto w = on.from_host(weights_shape, weights, "served weights");
    while (w && answers.size() < steps) {
        device_batch sent = send(on, question);
        if (!sent) break;
        const auto lost = on.execute(error, std::vector<argument>{{&*sent.x, true}, {&*sent.y, true}, {&*w}});
        if (!lost) break;
        answers.push_back(on.to_host(lost->front())[0]);
    }
    return answers;
}

bool same_bits(const values& a, const values& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Returns true if a buffer that cannot fit is explained and changes nothing.
bool says_why(device& on) {
    const std::uint64_t before = on.memory().live_bytes();
    if (on.from_host({on.memory().spec().capacity / 2}, {}, "cache")) return false;
    std::printf("%s\n", on.why().c_str());
    return on.why().find("RESOURCE_EXHAUSTED") != std::string::npos && on.memory().live_bytes() == before;
}

/// Trains and serves on a device. Returns true if blocks moved, and all values are right all the same: those of one
/// step in `pace`, and the last weights. If the host runs ahead, memory is tight: programs come and go, too.
bool try_out(device& on, std::uint64_t seed, std::size_t pace) {
    const std::vector<batch> batches = batches_of(seed);
    const trained expected = train_on_vectors(batches, pace);
    const program_image served{"serve", code_with({}), 512_KiB, 300, &run_on_rows<kernels::error>, {{1}}};
    const auto serve = on.load(served);
    if (!serve) return std::printf("%s\n", on.why().c_str()), false;
    values answers;
    std::thread server([&] { answers = serve_on(on, *serve, batches[0], expected.weights); });
    const trained found = train_on(on, batches, pace);
    server.join();
    if (!found.failed.empty()) return std::printf("%s\n", found.failed.c_str()), false;

    const bool same = same_bits(found.weights, expected.weights) && same_bits(found.errors, expected.errors) &&
                      same_bits(answers, values(steps, error_of(expected.weights, batches[0])));
    const hbm::totals& done = on.memory().done_so_far();
    const auto count = [](std::uint64_t number) { return static_cast<unsigned long long>(number); };
    std::printf("error %.4f, then %.4f; %s the loop on plain vectors\n", static_cast<double>(found.errors.front()),
                static_cast<double>(found.errors.back()), same ? "bit for bit that of" : "NOT that of");
    std::printf("    %llu moves of %llu KiB, %llu evictions, %llu reloads, %llu waits, %llu of %llu donations taken\n",
                count(done.moves), count(done.moved_bytes / 1024), count(done.evictions), count(done.reloads),
                count(on.waits()), count(done.donations_taken), count(done.donations_offered));
    const bool tight = done.evictions > 0 && done.reloads > 0 && on.waits() > 0;
    return same && found.errors.back() < found.errors.front() && done.moves > 0 && (tight || pace == 1) &&
           done.donations_taken >= 2 * steps;
}

// -- a mesh ----------------------------------------------------------------------------------------------------------

using mesh_memory = memory_on<blocks, device_queue>;  // the devices of a mesh have one time line
using mesh_type = hbm::mesh<mesh_memory>;
using shared_mesh = hbm::synchronized<mesh_type, std::mutex>;
constexpr std::size_t mesh_devices = 2;

float* values_of(mesh_type& mesh, hbm::mesh_buffer held, std::size_t device) {
    mesh_memory& memory = mesh.memory(device);
    return reinterpret_cast<float*>(memory.device().bytes(memory.where(mesh.part(held, device)).offset, 0).data());
}

/// Asks the devices of a mesh for the error of their share of each batch; any number of threads may. Returns the count
/// of batches whose answers are right, bit for bit.
std::size_t ask_mesh(shared_mesh& mesh, std::vector<device_queue>& queues, hbm::mesh_program program,
                     hbm::mesh_buffer weights, const values& w, const std::vector<batch>& batches) {
    std::size_t right = 0;
    for (const batch& next : batches) {
        const std::uint64_t rows = next.rows / mesh_devices;
        const auto begin = [&](auto& memory, auto send) -> hbm::mesh_result<hbm::mesh_run_result> {
            const auto x = memory.allocate(rows * features * sizeof(float), "x");
            if (!x) return x.error();
            const auto y = memory.allocate(rows * sizeof(float), "y");
            if (!y) return memory.free(*x), y.error();
            send(*x, *y);
            auto run = memory.run(program, {.inputs = {*x, *y, weights}, .outputs = {sizeof(float)}, .run_us = 300});
            memory.free(*x), memory.free(*y);  // effective when the run is over
            return run;
        };
        const auto wait = [&](hbm::fence until) {
            for (device_queue& queue : queues) queue.wait(until.number);
            mesh.retire(until);
        };
        // Waits outside of the lock.
        wait(hbm::awaited_fence(mesh, [&](auto& fork) { return begin(fork, [](auto, auto) {}); }));
        const auto begun = mesh.with([&](mesh_type& memory) {
            std::vector<kernel_call> calls(mesh_devices);
            const auto run = begin(memory, [&](hbm::mesh_buffer x, hbm::mesh_buffer y) {
                for (std::size_t device = 0; device < mesh_devices; ++device) {
                    float* const to_x = values_of(memory, x, device);
                    float* const to_y = values_of(memory, y, device);
                    std::memcpy(to_x, &next.x[device * rows * features], rows * features * sizeof(float));
                    std::memcpy(to_y, &next.y[device * rows], rows * sizeof(float));
                    calls[device].inputs = {to_x, to_y};
                }
            });
            for (std::size_t device = 0; run && device < mesh_devices; ++device) {
                kernel_call& call = calls[device];
                call.inputs.push_back(values_of(memory, weights, device));
                call.outputs = {values_of(memory, run->outputs[0], device)};
                call.scratch = reinterpret_cast<float*>(memory.memory(device).device().bytes(0, 0).data());
                call.rows = rows;
                queues[device].submit(run->over.number, [call] { run_on_rows<kernels::error>(call); });
            }
            return run;
        });
        if (!begun) continue;
        wait(begun->over);
        right += mesh.with([&](mesh_type& memory) {
            bool good = true;
            for (std::size_t device = 0; device < mesh_devices; ++device) {
                values residual(rows), expected(1);
                kernels::error(w.data(), &next.x[device * rows * features], &next.y[device * rows], rows,
                               residual.data(), expected.data());
                good = good && *values_of(memory, begun->outputs[0], device) == expected[0];
            }
            return memory.free(begun->outputs[0]) && good;
        });
    }
    return right;
}

/// Serves two threads from two devices. Returns true if all answers are right.
bool try_mesh(const std::vector<batch>& batches) {
    const hbm::memory_spec spec{.name = "small", .capacity = 640_KiB, .runs_in_flight = 2};
    std::vector<device_queue> queues(mesh_devices);
    std::vector<mesh_memory> memories;
    for (std::uint32_t device = 0; device < mesh_devices; ++device)
        memories.emplace_back(spec, mesh_memory::options{.device = hbm::host_device(spec.capacity),
                                                         .events = {&queues[device]},
                                                         .salt = device + 10});
    shared_mesh mesh(mesh_type({.partitions = mesh_devices}, std::move(memories)));
    const auto program = mesh.load({.name = "error", .code = code_bytes, .scratch = 1_KiB});
    const auto weights = mesh.allocate(features * sizeof(float), "weights");
    if (!program || !weights) return false;
    const values w(batches[0].x.begin(), batches[0].x.begin() + features);
    mesh.with([&](mesh_type& memory) {
        for (std::size_t device = 0; device < mesh_devices; ++device)
            std::memcpy(values_of(memory, *weights, device), w.data(), features * sizeof(float));
    });
    std::size_t others = 0;
    std::thread server([&] { others = ask_mesh(mesh, queues, *program, *weights, w, batches); });
    const std::size_t own = ask_mesh(mesh, queues, *program, *weights, w, batches);
    server.join();
    std::printf("mesh: %zu and %zu of %zu answers right\n", own, others, steps);
    return own == steps && others == steps;
}

}  // namespace

int main() {
    hbm::memory_spec spec{.name = "small", .capacity = 2800_KiB};
    spec.runs_in_flight = 4;
    device first(spec, 0), second(spec, 1);
    const bool good = try_out(first, 1, 10) && try_out(second, 2, 1) && try_mesh(batches_of(3)) && says_why(first);

    // A buffer of one device is noticed on the other.
    const auto lent = first.from_host(weights_shape, values(features), "lent");
    return good && lent && second.memory().check(lent->handle()) == hbm::error::foreign_handle ? 0 : 1;
}
