#pragma once

/// Two small networks, of PyTorch's operations alone.

#include <ATen/ATen.h>
#include <cmath>
#include <cstdint>
#include <vector>

/// Parameters, all of which are trained.
class parameters {
public:
    /// Random numbers whose variance keeps that of the signal, 1 / `inputs` (LeCun et al., "Efficient BackProp", 1998).
    at::Tensor random(at::IntArrayRef shape, std::int64_t inputs) {
        return add(at::randn(shape).div_(std::sqrt(static_cast<double>(inputs))));
    }
    at::Tensor zeros(at::IntArrayRef shape) { return add(at::zeros(shape)); }
    at::Tensor ones(at::IntArrayRef shape) { return add(at::ones(shape)); }

    std::vector<at::Tensor> all;

private:
    at::Tensor add(at::Tensor made) {
        made.set_requires_grad(true);
        all.push_back(made);
        return made;
    }
};

/// Tells ten classes of images of 3 x 32 x 32 apart: two convolutions and a linear layer.
class convolutional_network {
public:
    static constexpr std::int64_t classes = 10;

    [[nodiscard]] at::Tensor operator()(const at::Tensor& images) const {
        const at::Tensor first = at::max_pool2d(at::relu(at::conv2d(images, in_, in_bias_, 1, 1)), 2);
        const at::Tensor second = at::max_pool2d(at::relu(at::conv2d(first, middle_, middle_bias_, 1, 1)), 2);
        return at::linear(second.flatten(1), out_, out_bias_);
    }

    parameters trained;

private:
    at::Tensor in_ = trained.random({16, 3, 3, 3}, 27), in_bias_ = trained.zeros({16});
    at::Tensor middle_ = trained.random({32, 16, 3, 3}, 144), middle_bias_ = trained.zeros({32});
    at::Tensor out_ = trained.random({classes, 2048}, 2048), out_bias_ = trained.zeros({classes});
};

/// Predicts the next of 48 words: two layers of attention with four heads.
class transformer {
public:
    static constexpr std::int64_t words = 48, longest = 24, width = 32, heads = 4;

    [[nodiscard]] at::Tensor operator()(const at::Tensor& text) const {
        const std::int64_t length = text.size(1);
        at::Tensor signal = at::embedding(words_, text) + places_.narrow(0, 0, length);
        for (const layer& each : layers_) {
            signal = signal + attention(each, at::layer_norm(signal, {width}, each.scale, each.shift));
            const at::Tensor inner = at::gelu(at::linear(at::layer_norm(signal, {width}), each.widen));
            signal = signal + at::linear(inner, each.narrow);
        }
        return at::linear(signal, words_);
    }

    parameters trained;

private:
    struct layer {
        at::Tensor scale, shift, queries_keys_values, out, widen, narrow;
    };

    /// Each word looks at itself and those before it (Vaswani et al., "Attention Is All You Need", 2017).
    [[nodiscard]] static at::Tensor attention(const layer& with, const at::Tensor& signal) {
        const std::int64_t texts = signal.size(0), length = signal.size(1);
        const std::vector<at::Tensor> parts = at::linear(signal, with.queries_keys_values)
                                                  .view({texts, length, 3, heads, width / heads})
                                                  .permute({2, 0, 3, 1, 4})
                                                  .unbind(0);
        const at::Tensor scores = at::matmul(parts[0], parts[1].transpose(-2, -1)) / std::sqrt(double{width / heads});
        const at::Tensor later = at::ones({length, length}, at::kBool).triu(1);
        const at::Tensor weights = at::softmax(scores.masked_fill(later, -1e9), -1);
        return at::linear(at::matmul(weights, parts[2]).transpose(1, 2).reshape({texts, length, width}), with.out);
    }
    [[nodiscard]] layer make_layer() {
        return {trained.ones({width}),
                trained.zeros({width}),
                trained.random({3 * width, width}, width),
                trained.random({width, width}, width),
                trained.random({4 * width, width}, width),
                trained.random({width, 4 * width}, 4 * width)};
    }

    at::Tensor words_ = trained.random({words, width}, width);
    at::Tensor places_ = trained.random({longest, width}, width);
    std::vector<layer> layers_{make_layer(), make_layer()};
};
