#include "kernels.hpp"

namespace kernels {

namespace {

void residuals(const float* w, const float* x, const float* y, std::size_t rows, float* result) {
    for (std::size_t row = 0; row < rows; ++row) {
        float sum = 0;
        for (std::size_t at = 0; at < features; ++at) sum += x[row * features + at] * w[at];
        result[row] = sum - y[row];
    }
}

}  // namespace

void gradient(const float* w, const float* x, const float* y, std::size_t rows, float* residual, float* result) {
    residuals(w, x, y, rows, residual);
    for (std::size_t at = 0; at < features; ++at) result[at] = 0;
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t at = 0; at < features; ++at) result[at] += x[row * features + at] * residual[row];
    for (std::size_t at = 0; at < features; ++at) result[at] *= 2 / static_cast<float>(rows);
}

void error(const float* w, const float* x, const float* y, std::size_t rows, float* residual, float* result) {
    residuals(w, x, y, rows, residual);
    *result = 0;
    for (std::size_t row = 0; row < rows; ++row) *result += residual[row] * residual[row];
    *result /= static_cast<float>(rows);
}

void update(const float* w, const float* momentum, const float* gradient, float rate, float decay, float* new_w,
            float* new_momentum) {
    for (std::size_t at = 0; at < features; ++at) {
        new_momentum[at] = decay * momentum[at] + gradient[at];
        new_w[at] = w[at] - rate * new_momentum[at];
    }
}

}  // namespace kernels
