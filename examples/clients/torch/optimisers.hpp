#pragma once

/// What makes a step of training out of gradients.

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <cmath>
#include <cstddef>
#include <vector>

/// Stochastic gradient descent with momentum.
class momentum {
public:
    explicit momentum(const std::vector<at::Tensor>& trained) : trained_(trained) {
        for (const at::Tensor& each : trained) speed_.push_back(at::zeros_like(each));
    }
    /// Makes a step and drops the gradients.
    void step() {
        const at::NoGradGuard no_gradients;
        for (std::size_t at = 0; at < trained_.size(); ++at) {
            speed_[at].mul_(0.9).add_(trained_[at].grad());
            trained_[at].sub_(speed_[at], 0.01);
            trained_[at].mutable_grad().reset();
        }
    }

private:
    std::vector<at::Tensor> trained_, speed_;
};

/// Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015).
class adam {
public:
    explicit adam(const std::vector<at::Tensor>& trained) : trained_(trained) {
        for (const at::Tensor& each : trained) {
            mean_.push_back(at::zeros_like(each));
            square_.push_back(at::zeros_like(each));
        }
    }
    /// Makes a step and drops the gradients.
    void step() {
        const at::NoGradGuard no_gradients;
        ++steps_;
        const double rate = 0.003 * std::sqrt(1 - std::pow(0.999, steps_)) / (1 - std::pow(0.9, steps_));
        for (std::size_t at = 0; at < trained_.size(); ++at) {
            const at::Tensor slope = trained_[at].grad();
            mean_[at].mul_(0.9).add_(slope, 0.1);
            square_[at].mul_(0.999).addcmul_(slope, slope, 0.001);
            trained_[at].addcdiv_(mean_[at], square_[at].sqrt().add_(1e-8), -rate);
            trained_[at].mutable_grad().reset();
        }
    }

private:
    std::vector<at::Tensor> trained_, mean_, square_;
    int steps_ = 0;
};
