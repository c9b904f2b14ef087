#include "compare/read/message/gpu_message.hpp"


namespace hbm::imported {

std::string found_of(gpu_message which) {
    return which == gpu_message::of_pytorch ? "an out-of-memory message of PyTorch about a GPU"
                                            : "an out-of-memory message of XLA about a GPU or CPU";
}

std::string expected_of(gpu_message which) {
    const std::string begin = "a message about a TPU: only these are explained. ";
    if (which == gpu_message::of_pytorch)
        return begin + "Bring a memory snapshot: call `torch.cuda.memory._record_memory_history()` at the start and "
                       "`torch.cuda.memory._dump_snapshot('snapshot.pickle')` where it fails, then `hbm_compare "
                       "--growth --trace "
                       "snapshot.pickle` says who held what, and without --growth how it would fit best";
    return begin +
           "Bring what was in memory: call `jax.profiler.save_device_memory_profile('memory.prof')` just before the "
           "line that fails, then `hbm_compare --growth --trace memory.prof`; or the program: run with "
           "XLA_FLAGS=--xla_dump_to=DIR, then `hbm_compare --program FILE`, FILE being its "
           "DIR/module_*after_optimizations.txt";
}

}  // namespace hbm::imported
