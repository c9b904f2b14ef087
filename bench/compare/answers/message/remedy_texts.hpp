#pragma once

/// Every remedy against an out-of-memory message, with placeholders in braces.

#include <string_view>

namespace hbm::imported::remedy_texts {

inline constexpr std::string_view remedies = "\nRemedies, cheapest first:\n";

// Fewer arrays.
inline constexpr std::string_view usual_leaks =
    "The usual ones are an old state, results kept in a list from step to step, and a second copy while a checkpoint "
    "is saved or restored: save the weights alone, or part by part.";
inline constexpr std::string_view free_arrays =
    "Free {enough}: delete arrays that are no longer needed (`del x` for every reference, or `x.delete()`). "
    "{usual_leaks}";
inline constexpr std::string_view free_unknown =
    "Delete arrays that are no longer needed (`del x` for every reference, or `x.delete()`). {usual_leaks}";
inline constexpr std::string_view free_neighbours =
    "Free arrays that are no longer needed (`del x`, `x.delete()`): pieces grow where neighbours go. {usual_leaks}";
inline constexpr std::string_view free_before_load =
    "Free {enough} before the program is loaded: arrays that are no longer needed (`del x`, `x.delete()`), and "
    "programs that are no longer used (`jax.clear_caches()`). Arrays come first: the runtime has thrown out idle "
    "programs already.";
inline constexpr std::string_view free_unknown_before_load =
    "Delete arrays that are no longer needed (`del x`, `x.delete()`), and programs that are no longer used "
    "(`jax.clear_caches()`), before the program is loaded.";
inline constexpr std::string_view free_obstacle =
    "Free the array that is in the way: it begins {piece} above what is reserved at the bottom. The message does not "
    "name it: begin with arrays that are no longer needed (`del x`, `x.delete()`).";
inline constexpr std::string_view check_shape =
    "Check its shape: the last two dimensions are stored as multiples of 128 and 8 (roughly), so a last dimension of 1 "
    "to 127 takes the memory of 128.";

// Donation. `{donate}`: `donate`.
inline constexpr std::string_view donate =
    "`jax.jit(step, donate_argnums=...)`; an output takes over an input of the same size on the device";
inline constexpr std::string_view donate_output =
    "Donate, if the {asked} is an output of a program: {donate}, and then it needs no room of its own.";
inline constexpr std::string_view donate_output_in_pieces =
    "Donate, if the {asked} is an output of a program: {donate}.";
inline constexpr std::string_view donate_unknown_output = "Donate, if it is an output of a program: {donate}.";
inline constexpr std::string_view donate_state = "Donate, if the program returns a new state for an old one: {donate}.";
inline constexpr std::string_view donate_inputs =
    "Donate inputs: {donate}, so that both need not be in memory at once.";
/// If the total leaves outputs out, and if it includes them.
inline constexpr std::string_view donate_replaced[] = {
    "Donate the arguments that outputs replace, with {donate}: {outputs} of outputs take over nothing now, and come on "
    "top of the total above.",
    "Donate the arguments that outputs replace, with {donate}: {outputs} of outputs take over nothing now."};
inline constexpr std::string_view return_same_shape =
    "Return an output of the same shape, type and sharding for each donated argument: only such an output takes over "
    "its memory. A cast, another sharding or a reshape between them prevents it.";
inline constexpr std::string_view do_not_donate =
    "Otherwise do not donate it: the donation has no effect. For a program's module, `hbm_compare --describe "
    "DIR/module_*after_optimizations.txt` lists what could be donated.";

// A smaller request. `{size}`: one of the two below.
inline constexpr std::string_view this_array = "this array";
inline constexpr std::string_view the_scratch = "the scratch memory";
inline constexpr std::string_view slightly_smaller =
    "Request a little less: it is a matter of rounding, and a batch or sequence that is slightly smaller is enough if "
    "{size} grows in step with it.";
inline constexpr std::string_view smaller =
    "Take a smaller batch or a shorter sequence: if {size} grows in step with it, {percent} % of the present one fits "
    "({room} instead of {asked}).";
inline constexpr std::string_view hardly_smaller =
    "A smaller batch or a shorter sequence is unlikely to be enough on its own: {size} would have to shrink from "
    "{asked} to {room}, but every byte that it saves need not be freed.";
inline constexpr std::string_view smaller_batch =
    "Take a smaller batch or a shorter sequence: if the {temporaries} of temporaries grow in step with it, {percent} % "
    "of the present one fits. Or cut the batch into {parts} equal parts and add up their gradients.";
inline constexpr std::string_view hardly_smaller_batch =
    "A smaller batch is unlikely to be enough on its own: the {temporaries} of temporaries would have to shrink by "
    "{missing}.";
inline constexpr std::string_view smaller_or_recompute =
    "Take a smaller batch or a shorter sequence, or recompute instead of storing (`jax.checkpoint`).";
inline constexpr std::string_view smaller_array =
    "Take a smaller batch or a shorter sequence, or spread the array over more devices.";
inline constexpr std::string_view smaller_program =
    "Take a smaller batch or a shorter sequence, or spread the program over more devices.";
inline constexpr std::string_view smaller_in_memory =
    "Take a smaller batch or a shorter sequence: code and constants hardly shrink with it, but the arrays that are in "
    "memory do.";
inline constexpr std::string_view smaller_tables = "Take a smaller batch or a shorter sequence.";

// Recomputing, and memory of the host.
inline constexpr std::string_view recompute =
    "Recompute instead of storing (`jax.checkpoint`): the temporaries have to become {missing} smaller, by {percent} "
    "%.";
inline constexpr std::string_view recompute_gradients =
    "Recompute instead of storing (`jax.checkpoint`) in programs that compute gradients, or keep activations on the "
    "host.";
inline constexpr std::string_view offload =
    "Keep the optimizer's state or activations on the host (host offloading): slower.";
inline constexpr std::string_view offload_arguments =
    "Keep the optimizer's state or activations on the host (host offloading): slower, and up to the {arguments} of "
    "arguments are saved.";
inline constexpr std::string_view offload_less =
    "Offload less to the host: fewer activations or less of the optimizer's state. Or take a machine with more memory "
    "for each device.";

// More or larger devices. `{spread}`: one of the four below.
inline constexpr std::string_view spread_arguments = "arguments and batch";
inline constexpr std::string_view spread_tables = "the tables and the model";
inline constexpr std::string_view spread_program = "the program and its arguments";
/// With the share of each device, and with one that is known only to fit.
inline constexpr std::string_view spread[] = {
    "Spread {spread} over more devices (sharding). At best, if everything divides: over {devices}, each needs {share}, "
    "which fits into {room}.",
    "Spread {spread} over more devices (sharding). At best, if everything divides: over {devices}, each share fits "
    "into {room}."};
inline constexpr std::string_view spread_with_others[] = {
    "Spread {spread} over more devices (sharding). At best, if everything divides: over {devices}, each needs {share}, "
    "which fits into {room}; fewer are enough if the other arrays in memory are spread, too.",
    "Spread {spread} over more devices (sharding). At best, if everything divides: over {devices}, each share fits "
    "into {room}; fewer are enough if the other arrays in memory are spread, too."};
inline constexpr std::string_view larger_device = "Take a device with more memory: {devices}.";
inline constexpr std::string_view device_alone = "Take a device on which it fits alone: {devices}.";
inline constexpr std::string_view generation = "TPU {name} ({capacity}, {left} left)";
inline constexpr std::string_view fits_alone =
    "It can fit: in a memory with nothing else in it, the program would leave {left} of the {memory} of this device "
    "for arrays.";
inline constexpr std::string_view check_alone =
    "Check first whether it can fit at all. In a memory with nothing else in it, the program would leave room for "
    "arrays: {devices}.";
inline constexpr std::string_view fits_nowhere =
    "No TPU known here has {asked} for a device: as it is, the program fits nowhere, whatever is freed. It has to "
    "become smaller by {missing} to fit even into the largest, TPU {name} ({capacity}).";

// Order of loads and requests.
inline constexpr std::string_view large_first =
    "Make large arrays first and keep them; let small arrays that live long come after them. Wait for running programs "
    "(`jax.block_until_ready`) before you request a large array: what they use cannot be moved.";
inline constexpr std::string_view update_jax =
    "Update jax if it is older than 0.4.10: later versions move arrays together before they give up. If yours is "
    "newer, this was tried, and what lies between the pieces could not be moved.";
inline constexpr std::string_view load_first =
    "Load the program first: compile it and run it once before large arrays are made.";
inline constexpr std::string_view load_first_at_bottom =
    "Load the program first: compile it and run it once before the large arrays are made. Its scratch memory then lies "
    "at the bottom, and the arrays come above it.";
/// With a known rest, and with one that may be nothing.
inline constexpr std::string_view restart[] = {
    "Restart from a checkpoint: a new process has its free memory in one piece. With as much free as now, {left} would "
    "be left over.",
    "Restart from a checkpoint: a new process has its free memory in one piece. With as much free as now, {left} would "
    "be left over: next to nothing, so begin with less in memory than before."};
inline constexpr std::string_view restart_and_load[] = {
    "Restart from a checkpoint, with the program loaded first: {left} would be left over.",
    "Restart from a checkpoint, with the program loaded first: {left} would be left over: next to nothing, so begin "
    "with less in memory than before."};
inline constexpr std::string_view fewer_programs =
    "Keep fewer programs loaded: each function and each new shape that is compiled is one more. Pad inputs to a few "
    "fixed shapes, and do not compile again what could be kept.";
inline constexpr std::string_view pass_as_arguments =
    "Pass large arrays as arguments. Arrays that a jitted function only refers to become constants inside the program, "
    "and are part of these {asked}.";

// The pool of a server. `{make}`: one of `make_pool`.
inline constexpr std::string_view make_pool[] = {"In a server, make", "Make"};
inline constexpr std::string_view pool =
    "{make} the KV pool smaller: lower --gpu-memory-utilization (vLLM) or --mem-fraction-static (SGLang). A start "
    "stops at the first program without room; `hbm_compare --serve DUMP` finds a pool that leaves all of them room.";
inline constexpr std::string_view pool_by_bytes =
    "{make} the KV pool smaller, by {enough} or more: lower --gpu-memory-utilization (vLLM) or --mem-fraction-static "
    "(SGLang). A start stops at the first program without room; `hbm_compare --serve DUMP` finds a pool that leaves "
    "all of them room.";
inline constexpr std::string_view pool_by_share =
    "{make} the KV pool smaller, by {enough} or more: lower --gpu-memory-utilization (vLLM) or --mem-fraction-static "
    "(SGLang) by {share} or more. A start stops at the first program without room; `hbm_compare --serve DUMP` finds a "
    "pool that leaves all of them room.";

// Settings of the compiler.
inline constexpr std::string_view have_compiler_finish =
    "Have the compiler finish, and list the largest arrays: set "
    "LIBTPU_INIT_ARGS=--xla_tpu_impure_oom_fast_exit_threshold=-1 before the process starts.";
inline constexpr std::string_view look_harder =
    "As a last resort, make the compiler look harder, at the price of time: before the process starts, set "
    "LIBTPU_INIT_ARGS='--xla_tpu_rematerialization_algo=PEAK_PRIORITY', or a limit below the device's memory, such as "
    "--xla_tpu_max_hbm_size_mib={mebibytes}. In XLA_FLAGS they may be refused as unknown; a libtpu that does not know "
    "them says so, too.";
inline constexpr std::string_view less_scratch =
    "Let the compiler use less: set LIBTPU_INIT_ARGS=--tpu_shared_memory_percent=N before the process starts; a lower "
    "N (in per cent) limits the memory for temporaries, and programs then run slower. It has to be {enough} less. A "
    "libtpu that does not know this flag says so when it starts.";
inline constexpr std::string_view hardly_less_scratch =
    "Let the compiler use less: set LIBTPU_INIT_ARGS=--tpu_shared_memory_percent=N before the process starts; a lower "
    "N (in per cent) limits the memory for temporaries, and programs then run slower. On its own it will not save "
    "{missing}. A libtpu that does not know this flag says so when it starts.";
inline constexpr std::string_view less_scratch_for_unknown =
    "Let the compiler use less scratch memory: set LIBTPU_INIT_ARGS=--tpu_shared_memory_percent=N before the process "
    "starts. Programs then run slower.";

// Single arrays.
inline constexpr std::string_view look_for_large_array =
    "Look for a single array that is far too large: a sharding that is missing or not passed on, a broadcast, a "
    "`jax.debug.print` left behind. An array that large is rarely intended.";
inline constexpr std::string_view look_at_single =
    "Look at that array first. A single array of this size is rarely intended: the usual reasons are a sharding that "
    "is missing or not passed on, a broadcast, or a `jax.debug.print` left behind.";
inline constexpr std::string_view look_at_shape =
    "Look at that array first: {shape}. A single array of this size is rarely intended: the usual reasons are a "
    "sharding that is missing or not passed on, a broadcast, or a `jax.debug.print` left behind.";
/// Without and with the operation.
inline constexpr std::string_view look_at_array[] = {
    "Look at {array} ({bytes}) first: it alone takes {percent} % of the memory. The usual reasons are a sharding that "
    "is missing or not passed on, and a `jax.debug.print` left behind.",
    "Look at {array} ({bytes}) of '{operation}' first: it alone takes {percent} % of the memory. The usual reasons are "
    "a sharding that is missing or not passed on, and a `jax.debug.print` left behind."};
inline constexpr std::string_view padding =
    "Avoid padding: {padding} of the {bytes} of {array} is padding: dimensions are stored as multiples of 128 and 8, "
    "the last two as a rule. Make a small last dimension part of another one, or swap dimensions.{enough}{others}";
inline constexpr std::string_view padding_of_dimension =
    "Avoid padding: {padding} of the {bytes} of {array} is padding: the device stores its dimension of {stored}. Make "
    "a small last dimension part of another one, or swap dimensions.{enough}{others}";
inline constexpr std::string_view stored_dimension = "{length} as {stored}";
inline constexpr std::string_view padding_enough = " Without it, the program could fit.";
inline constexpr std::string_view padding_of_another = " Of the listed arrays, 1 more wastes a third or more.";
inline constexpr std::string_view padding_of_others = " Of the listed arrays, {count} more waste a third or more.";
inline constexpr std::string_view narrower_array =
    "Compute in bfloat16 where that is good enough: 1 of the {all} listed arrays is f32, and would shrink by half.";
inline constexpr std::string_view narrower_arrays =
    "Compute in bfloat16 where that is good enough: {count} of the {all} listed arrays are f32, and would shrink by "
    "half.";

// SparseCore.
inline constexpr std::string_view fewer_tables =
    "Begin with the SparseCore, which takes {sparse_core}: `--xla_sc_num_serialized_tables_to_optimize_hbm` works on "
    "fewer embedding tables at a time; its stack also grows with `feature_width` and `max_unique_nz_per_row`.";
inline constexpr std::string_view shard_tables =
    "Shard embedding tables over all chips; rows narrower than 8 floats are padded to 8.";
inline constexpr std::string_view fewer_iterations =
    "Lower `maximum_parallel_iterations`: fewer inputs are fetched ahead.";

// Memory on the chip.
inline constexpr std::string_view fewer_scalars =
    "Pass less scalar data to the kernel: block tables and grid indices live in 'smem'. In vLLM, larger pages "
    "(--block-size) or fewer sequences (--max-num-seqs) make the block table smaller.";
inline constexpr std::string_view smaller_sparse_core =
    "Let the SparseCore work on less at a time: fewer embedding tables together, narrower features, a smaller batch. "
    "XLA's page on error E3000 explains the limit.";
inline constexpr std::string_view raise_limit =
    "Raise the limit if the chip has more vmem: for a Pallas kernel of yours, pass "
    "`compiler_params=pltpu.CompilerParams(vmem_limit_bytes={bytes})`; for all operations, set "
    "LIBTPU_INIT_ARGS=--xla_tpu_scoped_vmem_limit_kib={kibibytes} before the process starts. Other operations then "
    "have less.";
inline constexpr std::string_view smaller_blocks =
    "Use smaller blocks in that kernel (in Pallas, its `BlockSpec`), or fewer buffers for a block.";
inline constexpr std::string_view update_libtpu =
    "Update jax and libtpu, if the kernel is the compiler's own: it should have chosen smaller blocks. XLA's page on "
    "error E1001 lists further flags.";

// Messages that are cut.
inline constexpr std::string_view bring_whole_message =
    "Bring the whole message, to the end of its line: it says whether less is free, or not in one piece.";

// Programs that JAX compiles for itself.
/// Program that a framework compiles for itself, the call behind it, and the call to make instead.
struct framework_program {
    std::string_view name;
    std::string_view call;
    std::string_view remedy;
};

inline constexpr std::string_view index_less =
    "Index inside of a jitted function, so that no copy of a part is kept, or take the part on the host.";

inline constexpr std::string_view sharded_from_start =
    "Make the array where it belongs: `jax.jit(make, out_shardings=sharding)()`, so that each device makes its own "
    "share and no device the whole array.";

// From the sources of JAX: names of its internal jitted functions, and of primitives that run outside of `jax.jit`.
inline constexpr framework_program framework_programs[] = {
    {"jit__identity_fn",
     "a copy to another sharding: `jax.device_put`, or `process_allgather`, which gathers a whole "
     "array on every device",
     "Do not gather whole arrays on every device: read each process's own part (`x.addressable_shards`), save "
     "checkpoints as shards (Orbax does), gather one array at a time, or keep the sharding that the array has."},
    {"jit__multi_slice", "slices that shard an array on its way to the devices",
     "Send each device its own part: `jax.make_array_from_callback(shape, sharding, read_part)` in place of a "
     "`jax.device_put` of the whole array."},
    {"jit_convert_element_type", "`x.astype(...)` outside of `jax.jit`",
     "Cast before the array is on the device (NumPy with ml_dtypes), or inside of a jitted function that donates the "
     "array: otherwise both copies are in memory."},
    {"jit_broadcast_in_dim", "`jnp.zeros`, `jnp.full` or a broadcast outside of `jax.jit`", sharded_from_start},
    {"jit_concatenate", "`jnp.concatenate` or `jnp.stack` outside of `jax.jit`",
     "Concatenate on the host, or inside of a jitted function that donates the parts: otherwise parts and result are "
     "in memory together."},
    {"jit_dynamic_slice", "indexing such as `x[i]` outside of `jax.jit`", index_less},
    {"jit_gather", "indexing with an array outside of `jax.jit`", index_less},
    {"jit_copy", "a copy of an array: `jnp.array(x)` or `x.copy()` outside of `jax.jit`",
     "Leave the copy out, or delete the original before: `jnp.asarray(x)` does not copy."},
    {"jit__normal", "`jax.random.normal` outside of `jax.jit`", sharded_from_start},
    {"jit__uniform", "`jax.random.uniform` outside of `jax.jit`", sharded_from_start},
    {"jit__threefry_split", "`jax.random.split` outside of `jax.jit`", {}},
    {"jit_iota", "`jnp.arange` outside of `jax.jit`", sharded_from_start},
};

inline constexpr std::string_view program_of_framework = "Program '{name}' is not yours: JAX compiles it for {call}.";

}  // namespace hbm::imported::remedy_texts
