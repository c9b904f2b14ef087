// Trains a small linear model on a device whose memory is too small for it: batches of varied sizes come and go, so
// that buffers move, and programs are evicted and come back. Another thread serves answers from the same device
// meanwhile. The values are those of the same loop on plain vectors, bit for bit.
#include <cstdio>
#include <random>

#include "runtime.hpp"

using namespace runtime_client;
using namespace hbm::literals;
using values = std::vector<float>;

namespace {

constexpr std::size_t features = 256, width = features + 1;  // a row is its features, and the value to predict
constexpr std::size_t steps = 120;

std::vector<values> some_batches() {
    std::mt19937 random;
    std::vector<values> batches(steps);
    for (values& next : batches) {
        next.resize(width * (32 + random() % 289));
        for (float& value : next) value = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    }
    return batches;
}

// -- the programs; their kernels compute on plain vectors as well ----------------------------------------------------

/// Returns code that begins with the learning rate: a kernel reads it on the device, and would compute nonsense if code
/// that moved, or was evicted, were not where it should be.
std::vector<std::byte> code_of(std::uint64_t size) {
    constexpr float rate = 0.004f;
    std::vector<std::byte> code(size);
    std::memcpy(code.data(), &rate, sizeof rate);
    return code;
}

/// Fills the scratch with the error of each row, and returns their number. Arguments: rows, weights.
std::size_t errors_of_rows(const kernel_call& call) {
    const std::size_t rows = call.arguments[0].size() / width;
    for (std::size_t row = 0; row < rows; ++row) {
        float sum = -call.arguments[0][row * width + features];
        for (std::size_t at = 0; at < features; ++at)
            sum += call.arguments[0][row * width + at] * call.arguments[1][at];
        call.scratch[row] = sum;
    }
    return rows;
}
void error(const kernel_call& call) {
    const std::size_t rows = errors_of_rows(call);
    float sum = 0;
    for (std::size_t row = 0; row < rows; ++row) sum += call.scratch[row] * call.scratch[row];
    call.outputs[0][0] = sum / static_cast<float>(rows);
}
/// A step of descent. Arguments: rows, weights; the output is where the weights were.
void update(const kernel_call& call) {
    const std::size_t rows = errors_of_rows(call);
    float rate = 0;
    std::memcpy(&rate, call.code, sizeof rate);
    for (std::size_t at = 0; at < features; ++at) {
        float slope = 0;
        for (std::size_t row = 0; row < rows; ++row) slope += call.arguments[0][row * width + at] * call.scratch[row];
        call.outputs[0][at] = call.arguments[1][at] - rate * slope / static_cast<float>(rows);
    }
}
const program_image update_image{"update", code_of(1_MiB), 256_KiB, 400, &update, {features}, true};
const program_image error_image{"error", code_of(1_MiB), 256_KiB, 300, &error, {1}};

// -- the loops -------------------------------------------------------------------------------------------------------

float error_on_vectors(values& rows, values& weights) {
    values scratch(rows.size() / width), result(1);
    error({{rows, weights}, {result}, scratch.data()});
    return result[0];
}
/// Returns the last weights.
values train_on_vectors(std::vector<values> batches) {
    values weights(features), scratch(512);
    for (values& rows : batches) update({{rows, weights}, {weights}, scratch.data(), update_image.code.data()});
    return weights;
}

/// Does the same on a device. Returns nothing if a call fails.
values train_on(device& on, const std::vector<values>& batches) {
    const auto updates = on.load(update_image);
    auto weights = on.from_host(values(features), "weights");
    if (!updates || !weights) return {};
    for (const values& next : batches) {
        auto rows = on.from_host(next, "rows");
        auto changed = rows ? on.execute(*updates, {&*rows, &*weights}) : std::nullopt;
        if (!changed) return {};
        weights = std::move(changed->front());
    }
    return on.to_host(*weights);
}

/// Asks for the same answer again and again. Returns the answers.
values serve_on(device& on, executable errors, const values& question, const values& weights) {
    values answers;
    auto w = on.from_host(weights, "served weights");
    while (w && answers.size() < steps) {
        auto rows = on.from_host(question, "question");
        const auto lost = rows ? on.execute(errors, {&*rows, &*w}) : std::nullopt;
        if (!lost) break;
        answers.push_back(on.to_host(lost->front())[0]);
    }
    return answers;
}

}  // namespace

int main() {
    device on({.name = "small", .capacity = 2300_KiB, .runs_in_flight = 4}, {.name = "pinned", .capacity = 1_MiB});
    std::vector<values> batches = some_batches();
    const auto errors = on.load(error_image);
    if (!errors) return 1;
    values weights(batches[0].begin(), batches[0].begin() + features), answers;
    std::thread server([&] { answers = serve_on(on, *errors, batches[1], weights); });
    const values found = train_on(on, batches);
    server.join();
    const bool same =
        found == train_on_vectors(batches) && answers == values(steps, error_on_vectors(batches[1], weights));
    const hbm::totals& done = on.memory().done_so_far();
    std::printf("%s; %u evictions\n", same ? "the same values" : on.why().c_str(), unsigned(done.evictions));

    // What cannot fit is explained, and changes nothing.
    const std::uint64_t before = on.memory().live_bytes();
    const bool unchanged = !on.from_host(values(1'000'000), "cache") && on.memory().live_bytes() == before;
    std::puts(on.why().c_str());
    return same && unchanged && done.evictions > 0 && done.donations_taken == steps ? 0 : 1;
}
