#pragma once

// Out-of-memory messages made up in the shapes of real ones.

#include <string>
#include <vector>

namespace samples {

inline const std::string full_device = "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate "
                                       "96.00M. That was not possible. There are "
                                       "41.50M free.; (1x2x0_HBM1)";

inline const std::string in_pieces =
    "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 2.50G. That was not possible. There "
    "are "
    "5.25G free. The largest contiguous region of free memory is 2.25G due to fragmentation.; (0x0x0_HBM0)";

inline const std::string no_scratch =
    "RESOURCE_EXHAUSTED: Error loading program 'jit_train_step': Attempting to reserve 11.25G at the bottom of memory. "
    "That was not possible. There are 310.75M free, 0B reserved, and 310.75M reservable. Scope: unknown..: while "
    "running "
    "replica 2 and partition 5 of a replicated computation (other replicas may have failed as well).";

inline const std::string blocked = "RESOURCE_EXHAUSTED: Error loading program 'jit_decode': Attempting to reserve "
                                   "5.50G at the bottom of memory. That was "
                                   "not possible. There are 7.25G free, 0B reserved, and 2.75G reservable.";

inline const std::string no_code = "RESOURCE_EXHAUSTED: Error loading program 'jit_sample': Attempting to allocate "
                                   "1.40G. That was not possible. There "
                                   "are 1.38G free.";

inline const std::string old_driver =
    "Could not allocate 20971520 bytes in memory 0x0x0_HBM0; 8388608 bytes allocatable, 29360128 bytes available";

inline const std::string compile =
    R"(jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 18.00G of 15.75G hbm. Exceeded hbm capacity by 2.25G.

Total hbm usage >= 18.25G:
    reserved        256.00M 
    program          10.00G 
    arguments         8.00G 

Output size 6.00G; shares 5.00G with arguments.

Program hbm requirement 10.00G:
    global           64.0K
    scoped            1.00M
    HLO temp         10.00G (96.5% utilization: Unpadded (9.60G) Padded (9.95G), 0.5% fragmentation (51.20M))

  Largest program allocations in hbm:

  1. Size: 2.00G
     Operator: op_name="jit(f)/dot_general[x=1]" source_file="a.py" source_line=3
     Shape: bf16[65536,128,64]{2,1,0:T(8,128)(2,1)}
     Unpadded size: 1.00G
     Extra memory due to padding: 1.00G (2.0x expansion)
     XLA label: %fusion.1 = bf16[65536,128,64]{2,1,0:T(8,128)(2,1)} fusion(%p), kind=kLoop
     Allocation type: HLO temp
     ==========================

  2. Size: 512.00M
     Shape: f32[1024,131072]{1,0:T(8,128)}
     Unpadded size: 512.00M
     XLA label: %copy.2 = copy(%p)
     Allocation type: HLO temp
     ==========================
)";

inline const std::string early =
    "Compilation failure: Aborting compilation early because it's unlikely to have enough memory. Requires 1.50T, has "
    "90.50G available. If more detailed logging is desired, set --xla_tpu_impure_oom_fast_exit_threshold=-1";

inline const std::string cores = "RESOURCE_EXHAUSTED: TPU TensorCore Hbm usage: 20.50G, SparseCore Hbm usage 90.25G, "
                                 "exceeding available bytes: 94.75G";

inline const std::string single =
    "RESOURCE_EXHAUSTED: Allocation (size=34359738368) would exceed memory (size=17179869184) :: #allocation3 [shape = "
    "'f32[65536,131072]{1,0:T(8,128)}', space=hbm, size = 0xffffffffffffffff, tag = 'output of dot@{}'] :: <none>";

inline const std::string on_chip =
    "RESOURCE_EXHAUSTED: Allocation (size=33554432) would exceed memory (size=16777216) :: #allocation9 [shape = "
    "'u8[33554432]{0}', space=vmem, size = 0x2000000, tag = 'scoped memory for my_kernel'] :: my_kernel";

inline const std::string ledger = R"(HBM capacity 8.00G:
       Top-of-Memory reserved:  512.00M (     536,870,912 bytes)
          Currently allocated:    6.00G (   6,442,450,944 bytes)
          Program requirement:    3.50G (   3,758,096,384 bytes)
                               ------------
      Available after request:   -2.00G (  -2,147,483,648 bytes)
Total hbm usage >= 10.00G:
    reserved 512.00M / heap allocations (without fragmentation) 6.00G / program 3.50G
Heap allocator status:
    Max free chunk 2.00G (0.0% fragmentation)
Program hbm requirement 3.50G:
    reserved 4.0K / global 4.0K / scoped 16.50M / HLO temp 3.48G (97.0% utilization: Unpadded (3.37G) Padded (3.47G), 0.4% fragmentation (10.25M))
)";

inline const std::vector<std::string> all{full_device, in_pieces, no_scratch, blocked, no_code, old_driver,
                                          compile,     early,     cores,      single,  on_chip, ledger};

}  // namespace samples
