#pragma once

#include <cstddef>
#include <cstdint>

/// What the programs compute. The device and the loop on plain vectors call the same functions, so that a difference of
/// the results is one of the bytes and not of the arithmetic.
namespace kernels {

/// Features of the model.
inline constexpr std::size_t features = 256;

/// The gradient of the mean squared error of `x * w - y`, of `rows` rows; `residual` has room for a float each.
void gradient(const float* w, const float* x, const float* y, std::size_t rows, float* residual, float* result);
/// The error itself.
void error(const float* w, const float* x, const float* y, std::size_t rows, float* residual, float* result);
/// `momentum = decay * momentum + gradient; w -= rate * momentum`; results may be where the arguments are.
void update(const float* w, const float* momentum, const float* gradient, float rate, float decay, float* new_w,
            float* new_momentum);

}  // namespace kernels
