#pragma once

/// What PyTorch does in this client, whatever its allocator is.

#include <vector>

/// How many threads PyTorch's kernels use from now on.
void use_threads(int threads);

/// Trains a convolutional network with momentum and a transformer with Adam, 20 steps each, then serves both with
/// batches of varied sizes. Random numbers have fixed seeds. Returns the loss of each step and a number for each batch
/// served; all tensors have been freed when it returns.
[[nodiscard]] std::vector<float> train_and_serve();
