// Trains a small linear model on two devices whose memory is too small for it: batches come and go in varied sizes, so
// that buffers move, and programs are evicted and come back. Another thread serves answers from the same devices
// meanwhile. The values are those of the same loops on plain vectors, bit for bit.
#include <cstdio>
#include <cstring>
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

}  // namespace

int main() {
    hbm::memory_spec spec{.name = "small", .capacity = 2800_KiB};
    spec.runs_in_flight = 4;
    device first(spec, 0), second(spec, 1);
    const bool good = try_out(first, 1, 10) && try_out(second, 2, 1) && says_why(first);

    // A buffer of one device is noticed on the other.
    const auto lent = first.from_host(weights_shape, values(features), "lent");
    return good && lent && second.memory().check(lent->handle()) == hbm::error::foreign_handle ? 0 : 1;
}
