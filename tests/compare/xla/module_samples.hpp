#pragma once

/// Small texts of HLO modules, written by hand after the forms that XLA prints.

#include <string>

namespace samples {

/// A compiled step on a TPU: parameter 0 is a tuple, 2 lies in the memory of the host.
inline const std::string compiled_step =
    "HloModule jit_step, is_scheduled=true, input_output_alias={ {0}: (0, {0}, may-alias), {1, 0}: (1, {}, must-alias) "
    "}, "
    "entry_computation_layout={((f32[8,128]{1,0:T(8,128)}, s32[]{:T(128)}), bf16[3,192]{1,0:T(8,128)(2,1)}, "
    "/*index=2*/f32[64]{0:T(128)S(5)})->(f32[8,128]{1,0:T(8,128)}, (bf16[3,192]{1,0:T(8,128)(2,1)}, "
    "pred[]{:T(512)}))}, "
    "num_partitions=4, frontend_attributes={note=\"a } b \\\" , num_partitions=9\",mesh={m = #sdy.mesh<[\"x\"=4]>}}\n"
    "\n"
    "FileNames\n1 \"step.py\"\n"
    "\n"
    "%fused (p: f32[8,128]) -> f32[8,128] {\n"
    "  %p = f32[8,128]{1,0:T(8,128)} parameter(0)\n"
    "  ROOT %n = f32[8,128]{1,0:T(8,128)} negate(%p)\n"
    "}\n"
    "\n"
    "ENTRY %main.9_spmd (a: (f32[8,128], s32[])) -> (f32[8,128], (bf16[3,192], pred[])) {\n"
    "  %a = (f32[8,128]{1,0:T(8,128)}, s32[]{:T(128)}) parameter(0), sharding={{replicated}, {replicated}}\n"
    "}\n";

/// From before layouts stood in the header: quoted and bare names, a constant over several lines, no tuple.
inline const std::string old_style =
    "HloModule cluster_0.7\n"
    "\n"
    "ENTRY %cluster_0.7 (arg0.1: f32[2,3], arg1.2: f16[5]) -> f32[2,3] {\n"
    "  %\"arg 1 = x\" = f16[5]{0} parameter(1), metadata={op_name=\"a, sharding={b}\"}\n"
    "  constant.3 = f32[2,2]{1,0} constant({\n"
    "    { 1, 2 },\n"
    "    { 3, 4 }\n"
    "  })\n"
    "  %arg0.1 = f32[2,3]{1,0} parameter(0), parameter_replication={false}\n"
    "  ROOT %add.4 = f32[2,3]{1,0} add(f32[2,3]{1,0} %arg0.1, f32[2,3]{1,0} %arg0.1)\n"
    "}\n";

/// Before optimization, for four devices: the shapes are of whole arrays. The output's sharding is not stated.
inline const std::string whole_arrays =
    "HloModule jit_step, buffer_donor={ (0, {}), (2, {1}) }, "
    "entry_computation_layout={(bf16[10,256]{1,0:T(8,128)(2,1)}, f32[6,6]{1,0}, (s32[4]{0}, s32[8]{0}), f32[3]{0})"
    "->bf16[10,256]{1,0:T(8,128)(2,1)}}, num_partitions=4\n"
    "\n"
    "ENTRY main.3 {\n"
    "  a = bf16[10,256]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}, metadata={op_name=\"a\"}\n"
    "  b = f32[6,6]{1,0} parameter(1), sharding={devices=[1,2,2]<=[4] last_tile_dim_replicate}\n"
    "  c = (s32[4]{0}, s32[8]{0}) parameter(2), sharding={{replicated}, {devices=[4]0,1,2,3}}\n"
    "  d = f32[3]{0} parameter(3)\n"
    "  ROOT r = bf16[10,256]{1,0} negate(a)\n"
    "}\n";

}  // namespace samples
