#pragma once

// Files of a small program in the style of an XLA dump for TPU: a step that donates its state. Parameter 0 is taken
// over by output {0}; output {1} is new; parameter 1 is an input. All were written for these tests.

#include <string_view>

namespace dump_samples {

inline constexpr std::string_view module_text =
    "HloModule jit_step, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, "
    "entry_computation_layout={(f32[16,192]{1,0:T(8,128)}, f32[16,64]{1,0:T(8,128)})->(f32[16,192]{1,0:T(8,128)}, "
    "f32[]{:T(128)})}\n"
    "\n"
    "ENTRY %main.9 (state: f32[16,192], batch: f32[16,64]) -> (f32[16,192], f32[]) {\n"
    "  %state = f32[16,192]{1,0:T(8,128)} parameter(0)\n"
    "  %batch = f32[16,64]{1,0:T(8,128)} parameter(1)\n"
    "  ROOT %tuple.4 = (f32[16,192]{1,0:T(8,128)}, f32[]{:T(128)}) tuple(%add.2, %sum.3)\n"
    "}\n";

inline constexpr std::string_view assignment_text =
    "BufferAssignment:\n"
    "allocation 0: size 16384, parameter 0, shape |f32[16,192]| at ShapeIndex {}, maybe-live-out:\n"
    " value: <0 state @0> (size=16384,offset=0): f32[16,192]{1,0:T(8,128)}\n"
    " value: <4 add.2 @0> (size=16384,offset=0): f32[16,192]{1,0:T(8,128)}\n"
    "allocation 1: size 8192, parameter 1, shape |f32[16,64]| at ShapeIndex {}:\n"
    " value: <1 batch @0> (size=8192,offset=0): f32[16,64]{1,0:T(8,128)}\n"
    "allocation 2: size 16, output shape is |(f32[16,192], f32[])|, maybe-live-out:\n"
    " value: <7 tuple.4{} @0> (size=16,offset=0): (f32[16,192]{1,0:T(8,128)}, f32[]{:T(128)})\n"
    "allocation 3: size 512, maybe-live-out:\n"
    " value: <6 while.3{1} (phi) @0> (size=512,offset=0): f32[]{:T(128)}\n"
    "allocation 4: size 1024, constant:\n"
    " value: <2 constant.7 @0> (size=1024,offset=0): f32[2,128]{1,0:T(8,128)}\n"
    "allocation 5: size 65536, preallocated-temp:\n"
    " value: <3 dot.1 @0> (size=16384,offset=49152): f32[16,192]{1,0:T(8,128)}\n"
    "allocation 6: size 2048, color 1, preallocated-temp:\n"
    "allocation 7: size 4, thread-local:\n"
    " value: <5 add.9 @0> (size=4,offset=0): f32[]\n"
    "\n"
    "Total bytes used: 93716 (91.5KiB)\n"
    "\n"
    "Used values:\n"
    "<0 state @0>\n"
    " positions:\n"
    "  state\n"
    " uses:\n"
    "  add.2, operand 0\n"
    " from instruction: %state = f32[16,192]{1,0:T(8,128)} parameter(0)\n"
    "<4 add.2 @0>\n"
    " positions:\n"
    "  add.2\n"
    "  tuple.4 {0}\n"
    " uses:\n"
    " from instruction: %add.2 = f32[16,192]{1,0:T(8,128)} add(%state, %dot.1)\n"
    "<6 while.3{1} (phi) @0>\n"
    " positions:\n"
    "  while.3 {1}\n"
    "  tuple.4 {1}\n"
    " uses:\n"
    "<7 tuple.4{} @0>\n"
    " positions:\n"
    "  tuple.4 {}\n"
    " uses:\n"
    "\n"
    "HloLiveRange (max 6):\n"
    "  InstructionSequence:\n"
    "    0:state\n"
    "    1:batch\n"
    "  BufferLiveRange:\n"
    "    state{}:0-6\n"
    "  Live ranges at 3 (peak):\n"
    "    state{}: 12288 bytes (cumulative: 12288 bytes)\n"
    "    batch{}: 4096 bytes (cumulative: 16384 bytes)\n"
    "  Stack trace breakdown for peak usage: 16 384 bytes\n";

}  // namespace dump_samples
