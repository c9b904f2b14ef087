#include "workload.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <cstdint>
#include <vector>

#include "networks.hpp"
#include "optimisers.hpp"

namespace {

constexpr int steps = 20;

template <class Network, class Optimiser, class Loss>
void train(Network& network, Optimiser optimiser, Loss loss_of_batch, std::vector<float>& losses) {
    for (int step = 0; step < steps; ++step) {
        const at::Tensor loss = loss_of_batch(network);
        loss.backward();
        optimiser.step();
        losses.push_back(loss.item<float>());
    }
}

at::Tensor loss_of_images(const convolutional_network& network) {
    const at::Tensor images = at::randn({8, 3, 32, 32});
    return at::cross_entropy_loss(network(images), at::randint(convolutional_network::classes, {8}, at::kLong));
}

at::Tensor loss_of_text(const transformer& network) {
    const at::Tensor text = at::randint(transformer::words, {4, transformer::longest + 1}, at::kLong);
    const at::Tensor guessed = network(text.narrow(1, 0, transformer::longest));
    return at::cross_entropy_loss(guessed.flatten(0, 1), text.narrow(1, 1, transformer::longest).flatten());
}

/// Texts have varied lengths as well: each batch asks for memory of other sizes.
void serve(const convolutional_network& images, const transformer& texts, std::vector<float>& answers) {
    const c10::InferenceMode no_gradients;
    for (int batch = 0; batch < 2 * steps; ++batch) {
        const std::int64_t inputs = 1 + batch * 7 % 12;
        const std::int64_t length = 1 + batch * 11 % transformer::longest;
        answers.push_back(images(at::randn({inputs, 3, 32, 32})).sum().item<float>());
        answers.push_back(texts(at::randint(transformer::words, {inputs, length}, at::kLong)).sum().item<float>());
    }
}

}  // namespace

void use_threads(int threads) {
    at::set_num_threads(threads);
}

std::vector<float> train_and_serve() {
    at::manual_seed(20);
    std::vector<float> found;
    convolutional_network images;
    transformer texts;
    train(images, momentum(images.trained.all), loss_of_images, found);
    train(texts, adam(texts.trained.all), loss_of_text, found);
    serve(images, texts, found);
    return found;
}
