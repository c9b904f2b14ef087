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

namespace {

constexpr int steps = 120;
constexpr int batches_ahead = 3;  // are on the device already when a step begins
constexpr std::uint64_t most_rows = 320;

/// A linear congruential generator with the constants of Knuth's MMIX.
class numbers {
public:
    explicit numbers(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t limit) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (state_ >> 33) % limit;
    }
    float fraction() { return static_cast<float>(below(2001)) / 1000.0f - 1.0f; }

private:
    std::uint64_t state_;
};

/// Rows of features and what is to be predicted for them, with a number of rows of its own.
struct batch {
    std::vector<float> x;
    std::vector<float> y;
    std::uint64_t rows = 0;
};

std::vector<batch> batches_of(std::uint64_t seed) {
    numbers next(seed);
    std::vector<float> truth(features);
    for (float& each : truth) each = next.fraction();
    std::vector<batch> made(steps);
    for (batch& each : made) {
        each.rows = 32 + next.below(most_rows - 31);
        for (std::uint64_t row = 0; row < each.rows; ++row) {
            float sum = 0.1f * next.fraction();
            for (const float weight : truth) {
                each.x.push_back(next.fraction());
                sum += weight * each.x.back();
            }
            each.y.push_back(sum);
        }
    }
    return made;
}

// -- the programs ----------------------------------------------------------------------------------------------------

struct constants {
    float rate;
    float decay;
};
constexpr constants learning{0.004f, 0.5f};

/// The code of a program, which begins with its constants: a kernel reads them on the device, and would compute
/// nonsense if code that moved, or was evicted, were not where it should be.
std::vector<std::byte> code_with(const constants& first, std::uint64_t size) {
    std::vector<std::byte> code(size);
    std::memcpy(code.data(), &first, sizeof first);
    // The rest stands for instructions; the last byte is looked at as well.
    code.back() = std::byte{42};
    return code;
}
constants constants_of(const kernel_call& call, std::uint64_t size) {
    constants found{};
    if (call.code[size - 1] == std::byte{42}) std::memcpy(&found, call.code, sizeof found);
    return found;
}

const float* input(const kernel_call& call, std::size_t at) {
    return reinterpret_cast<const float*>(call.inputs[at]);
}
float* output(const kernel_call& call, std::size_t at) {
    return reinterpret_cast<float*>(call.outputs[at]);
}

constexpr std::uint64_t code_bytes = 192_KiB;
const shape weights_shape{dtype::f32, {features}};

// The first argument has the rows.
void run_gradient(const kernel_call& call) {
    kernels::gradient(input(call, 2), input(call, 0), input(call, 1), call.rows, reinterpret_cast<float*>(call.scratch),
                      output(call, 0));
}
void run_error(const kernel_call& call) {
    kernels::error(input(call, 2), input(call, 0), input(call, 1), call.rows, reinterpret_cast<float*>(call.scratch),
                   output(call, 0));
}
void run_update(const kernel_call& call) {
    const constants found = constants_of(call, code_bytes);
    kernels::update(input(call, 0), input(call, 1), input(call, 2), found.rate, found.decay, output(call, 0),
                    output(call, 1));
}

// -- the two loops ---------------------------------------------------------------------------------------------------

/// What a loop ends with.
struct trained {
    std::vector<float> weights;
    std::vector<float> errors;  // every tenth step
    std::string failed;
};

float error_of(const std::vector<float>& weights, const batch& given) {
    std::vector<float> residual(most_rows);
    float error = 0;
    kernels::error(weights.data(), given.x.data(), given.y.data(), given.rows, residual.data(), &error);
    return error;
}

trained train_on_vectors(const std::vector<batch>& batches) {
    trained result{std::vector<float>(features), {}, {}};
    std::vector<float> momentum(features);
    std::vector<float> gradient(features);
    std::vector<float> residual(most_rows);
    for (int step = 0; step < steps; ++step) {
        const batch& now = batches[static_cast<std::size_t>(step)];
        float* const w = result.weights.data();
        kernels::gradient(w, now.x.data(), now.y.data(), now.rows, residual.data(), gradient.data());
        kernels::update(w, momentum.data(), gradient.data(), learning.rate, learning.decay, w, momentum.data());
        if (step % 10 != 9) continue;
        result.errors.push_back(error_of(result.weights, now));
    }
    return result;
}

struct device_batch {
    device_buffer x;
    device_buffer y;
};

trained train_on(device& on, const std::vector<batch>& batches) {
    trained result;
    const auto failed = [&] { return trained{{}, {}, on.why()}; };
    const program_image gradient_image{"gradient",     code_with({}, code_bytes), 256_KiB, 400, &run_gradient,
                                       {weights_shape}};
    const program_image update_image{"update",    code_with(learning, code_bytes), 0, 20,
                                     &run_update, {weights_shape, weights_shape}};
    const program_image error_image{
        "error", code_with({}, 2 * code_bytes), 512_KiB, 300, &run_error, {{dtype::f32, {1}}}};
    const auto gradient = on.load(gradient_image);
    const auto update = on.load(update_image);
    const auto error = on.load(error_image);
    if (!gradient || !update || !error) return failed();

    const std::vector<float> zeros(features);
    auto weights = on.from_host(weights_shape, zeros, "weights");
    auto momentum = on.from_host(weights_shape, zeros, "momentum");
    if (!weights || !momentum) return failed();

    std::vector<device_batch> there(batches.size());
    std::size_t sent = 0;
    for (std::size_t step = 0; step < batches.size(); ++step) {
        for (; sent < batches.size() && sent <= step + batches_ahead; ++sent) {
            const batch& next = batches[sent];
            auto x = on.from_host({dtype::f32, {next.rows, features}}, next.x, "x");
            auto y = on.from_host({dtype::f32, {next.rows}}, next.y, "y");
            if (!x || !y) return failed();
            there[sent] = {std::move(*x), std::move(*y)};
        }
        device_batch& now = there[step];
        const bool looks = step % 10 == 9;

        // Nothing waits in a step: the host goes on while the device computes.
        auto found = on.execute(*gradient, std::vector<argument>{{&now.x}, {&now.y, !looks}, {&*weights}});
        if (!found) return failed();
        auto changed =
            on.execute(*update, std::vector<argument>{{&*weights, true}, {&*momentum, true}, {&found->front(), true}});
        if (!changed) return failed();
        weights = std::move((*changed)[0]), momentum = std::move((*changed)[1]);

        if (looks) {
            const auto lost = on.execute(*error, std::vector<argument>{{&now.x, true}, {&now.y, true}, {&*weights}});
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
std::vector<float> serve_on(device& on, const executable& error, const batch& question,
                            const std::vector<float>& weights) {
    std::vector<float> answers;
    auto w = on.from_host(weights_shape, weights, "served weights");
    while (w && answers.size() < static_cast<std::size_t>(steps)) {
        auto x = on.from_host({dtype::f32, {question.rows, features}}, question.x, "question");
        auto y = on.from_host({dtype::f32, {question.rows}}, question.y, "expected");
        if (!x || !y) break;
        const auto lost = on.execute(error, std::vector<argument>{{&*x, true}, {&*y, true}, {&*w}});
        if (!lost) break;
        answers.push_back(on.to_host(lost->front())[0]);
    }
    return answers;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// A buffer that cannot fit: it is said why, and nothing changes.
bool says_why(device& on) {
    const hbm::memory_spec& spec = on.memory().spec();
    const std::uint64_t before = on.memory().live_bytes();
    const shape too_large{dtype::f32, {2 * spec.capacity / 4}};
    if (on.from_host(too_large, {}, "cache")) return false;
    std::printf("%s\n", on.why().c_str());
    return on.why().find("RESOURCE_EXHAUSTED") != std::string::npos && on.memory().live_bytes() == before;
}

}  // namespace

int main() {
    hbm::memory_spec spec{.name = "small", .capacity = 2800_KiB};
    spec.runs_in_flight = 4;
    client all(spec, 2);
    bool good = true;
    for (std::size_t at = 0; at < all.devices.size(); ++at) {
        device& on = *all.devices[at];
        const std::vector<batch> batches = batches_of(at + 1);
        const trained expected = train_on_vectors(batches);
        const program_image served{"serve", code_with({}, code_bytes), 512_KiB, 300, &run_error, {{dtype::f32, {1}}}};
        const auto serve = on.load(served);
        if (!serve) return std::printf("%s\n", on.why().c_str()), 1;
        std::vector<float> answers;
        std::thread server([&] { answers = serve_on(on, *serve, batches[0], expected.weights); });
        const trained found = train_on(on, batches);
        server.join();
        if (!found.failed.empty()) return std::printf("%s\n", found.failed.c_str()), 1;

        const bool same = same_bits(found.weights, expected.weights) && same_bits(found.errors, expected.errors) &&
                          same_bits(answers, std::vector<float>(steps, error_of(expected.weights, batches[0])));
        const hbm::totals& done = on.memory().done_so_far();
        std::printf("device %zu: error %.4f, then %.4f; %s the loop on plain vectors\n", at,
                    static_cast<double>(found.errors.front()), static_cast<double>(found.errors.back()),
                    same ? "bit for bit that of" : "NOT that of");
        std::printf("    %llu moves of %llu KiB, %llu evictions, %llu reloads, %llu waits, %llu of %llu donations "
                    "taken, %llu second attempts\n",
                    static_cast<unsigned long long>(done.moves),
                    static_cast<unsigned long long>(done.moved_bytes / 1024),
                    static_cast<unsigned long long>(done.evictions), static_cast<unsigned long long>(done.reloads),
                    static_cast<unsigned long long>(on.waits()), static_cast<unsigned long long>(done.donations_taken),
                    static_cast<unsigned long long>(done.donations_offered),
                    static_cast<unsigned long long>(on.second_attempts()));
        // The point of the example: it was tight, and the values are right all the same.
        good = good && same && found.errors.back() < found.errors.front() && done.moves > 0 && done.evictions > 0 &&
               done.reloads > 0 && on.waits() > 0 && done.donations_taken >= 2 * steps;
    }
    good = says_why(*all.devices[0]) && good;

    // A buffer of one device is noticed on the other.
    const auto lent = all.devices[0]->from_host(weights_shape, std::vector<float>(features), "lent");
    good = good && lent && all.devices[1]->memory().check(lent->handle()) == hbm::error::foreign_handle;
    return good ? 0 : 1;
}
