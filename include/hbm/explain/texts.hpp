#pragma once

/// Every sentence of an explanation, a plan and a dump, with placeholders in braces. The code that fills them has no
/// words of its own.

#include <string_view>

namespace hbm::inline v0::detail::texts {

using text = std::string_view;

// The runtime's texts, from the XLA documentation and public reports.
inline constexpr text plain_attempt =
    "Attempting to allocate {requested}. That was not possible. There are {free} free.";
inline constexpr text fragmented_attempt =
    "Attempting to allocate {requested}. That was not possible. There are {free} free. The largest contiguous region "
    "of free memory is {largest} due to fragmentation.";
inline constexpr text reservation_attempt =
    "Attempting to reserve {requested} at the bottom of memory. That was not possible. There are {free} free, "
    "{reserved} reserved, and {reservable} reservable.";
inline constexpr text replica_scope = " Scope: unknown..: while running replica {replica} and partition {partition} of "
                                      "a replicated computation (other replicas may have failed as well).";

// Errors of calls: the others are in the table of errors.
inline constexpr text alignment_too_large =
    "an alignment of {alignment} bytes is more quanta than the manager's placement can count";
inline constexpr text no_such_item = "item {argument} is beyond the end of a list of the call";
inline constexpr text range_is_managed =
    "the range to be adopted overlaps the memory '{chip}' of the set, or ends beyond 2^64 - 1";
inline constexpr text alias_of_other_kind =
    "output {argument} must take over argument {first_use}, which is of another memory kind";
inline constexpr text no_argument = "(none)";

// Obstacles.
inline constexpr text it_fits = "It fits.\n";
inline constexpr text part_fits = "Reason: that alone would fit now; something else that the run requests or uses is "
                                  "in the way. Explain the run itself to learn more.\n";
inline constexpr text range_is_taken = "Reason: not all of that range is free.\n";
inline constexpr text donor_is_referenced =
    "Reason: a holder from outside would see it change. Unpin it, or keep it this time.\n";
inline constexpr text buffer_is_referenced = "Reason: a holder from outside has its place. Unpin it.\n";
inline constexpr text invalid_call = "Reason: the call itself is invalid; more room would not help.\n";
inline constexpr text capped_bottom =
    "Reason: {blocks} ends the free run at the bottom, which is {missing} too short.\n";
inline constexpr text too_little_free = "Reason: {missing} short. Most memory is held by {blocks}.\n";
inline constexpr text nothing_held = "Reason: {missing} short. The memory is empty, but too small.\n";
inline constexpr text no_memory =
    "Reason: the manager has 0 bytes, because its `capacity` less `top_reserved` is below a quantum.\n";
/// By the count of neighbours of the longest run: none, one, two.
inline constexpr text too_short[] = {
    "Reason: the free memory is in pieces. The longest, {run}, is {missing} too short.\n",
    "Reason: the free memory is in pieces. The longest, {run}, lies next to {blocks} and is {missing} too short.\n",
    "Reason: the free memory is in pieces. The longest, {run}, lies between {blocks} and is {missing} too short.\n",
};
inline constexpr text not_aligned[] = {
    "Reason: the free memory is in pieces. The longest, {run}, has no place that is aligned as it must be.\n",
    "Reason: the free memory is in pieces. The longest, {run}, lies next to {blocks} and has no place that is aligned "
    "as it must be.\n",
    "Reason: the free memory is in pieces. The longest, {run}, lies between {blocks} and has no place that is aligned "
    "as it must be.\n",
};

// Blocks, as a noun.
inline constexpr text code_of = "the code of '{name}'";
inline constexpr text scratch_of = "the scratch of '{name}'";
inline constexpr text the_buffer = "the buffer";
inline constexpr text quoted = "'{name}'";
inline constexpr text run_at = "{size} at offset {offset}";
inline constexpr text block_at = "{block} ({size} at offset {offset}{notes})";
inline constexpr text code_of_program = "the code of program{name}";
inline constexpr text scratch_of_program = "the scratch of program{name}";
inline constexpr text reserved_scratch = "the reserved scratch";
inline constexpr text freed_buffer = "the freed buffer{name}";
inline constexpr text output_of_run = "output {output} of this run{name}";
inline constexpr text unnamed_buffer = "an unnamed buffer";
inline constexpr text named_buffer = "buffer{name}";
inline constexpr text in_flight = ", in use by {runs} in flight";
inline constexpr text pinned = ", pinned from outside";
inline constexpr text waits_for_frees = ", which returns when frees take effect";
inline constexpr text just_placed = ", where it had just found room";
inline constexpr text is_argument = ", an argument of this run";
inline constexpr text may_not_move = ", which this manager may not move";

// Conclusions.
inline constexpr text none_found = "No remedy was found that makes it fit as it is. One may still exist.\n";
inline constexpr text not_enough_bytes = "It cannot fit: with every run finished, every other program evicted and "
                                         "nothing pinned, it is still {missing} short.\n";
inline constexpr text walls = "It cannot fit: with every run finished, every other program evicted and nothing pinned, "
                              "the blocks that remain are still in the way.\n";
inline constexpr text no_arrangement = "It cannot fit: with every run finished, every other program evicted and "
                                       "nothing pinned, no arrangement that moves can reach has room for it.\n";
inline constexpr text more_effort_for_remedies =
    "The search for remedies used up its effort: with more, more or cheaper remedies may be found.\n";
inline constexpr text more_effort_for_sizes =
    "The search for remedies used up its effort: with more, better sizes may be found.\n";

// Remedies, as instructions.
inline constexpr text remedies = "Remedies, cheapest first:\n";
inline constexpr text alternatives = "Alternatives:\n";
inline constexpr text await_frees = "let pending frees take effect";
inline constexpr text await_runs = "wait for runs in flight";
inline constexpr text bytes_return = " ({bytes} returns)";
inline constexpr text unpin = "unpin {blocks}";
inline constexpr text evict_program = "evict program {programs}";
inline constexpr text evict_programs = "evict programs {programs}";
inline constexpr text move = "move {blocks} ({bytes} in {copies})";
inline constexpr text unpin_and_move = "unpin and move {blocks} ({bytes} in {copies})";
inline constexpr text donate = "donate {arguments}";
inline constexpr text take_over = "let outputs take over donated {arguments}";
inline constexpr text request_at_most = "request at most {size}{part}";
inline constexpr text request_size = "request {size}{part}; more may fit";
inline constexpr text enlarge_exactly = "have {more} more memory, at the top: {capacity} in all";
inline constexpr text enlarge = "have {more} more memory, at the top: {capacity} in all; less may do";
inline constexpr text exact_size = "{size} ({bytes} bytes)";
inline constexpr text of_scratch = " of scratch";
inline constexpr text of_code = " of code";
inline constexpr text at_offset = " at {offset}";
inline constexpr text more_blocks = "{count} more";

// Notes on remedies.
inline constexpr text moves_by_hand =
    "Moves are made by hand here, with relieve(): a manager with compacting<> makes them by itself.\n";
inline constexpr text evictions_by_hand =
    "Evictions are made by hand here, with relieve(): another eviction policy makes them by itself.\n";
inline constexpr text arguments_move_before =
    "A run moves its arguments only if its arguments_may_move is true. Else move them before, with relieve().\n";
inline constexpr text no_donation_policy = "Under this manager no output takes over an input. To donate, give it a "
                                           "donation policy such as donate_same_size, which the copy had.\n";
inline constexpr text argument_order = "Arguments are counted from 0, inputs first, then donated ones.\n";
inline constexpr text one_tried = "It was tried on a copy of this memory, where {call} then succeeded.\n";
inline constexpr text all_tried = "Each was tried on a copy of this memory, where {call} then succeeded.\n";
inline constexpr text one_tried_for_output = "It was tried on a copy of this memory, where that output alone then "
                                             "found room; the rest of the run was not tried: explain the run itself.\n";
inline constexpr text all_tried_for_output = "Each was tried on a copy of this memory, where that output alone then "
                                             "found room; the rest of the run was not tried: explain the run itself.\n";
inline constexpr text the_allocation = "the allocation";
inline constexpr text the_run = "the run";
inline constexpr text loading = "loading";

// Plans.
inline constexpr text nothing_costs_less = "{price}, and nothing costs less";
inline constexpr text nothing_under = "{price}; nothing under {least}";
inline constexpr text wait_step = "{number}. Wait for fence {fence} ({bytes} returns): {time}\n";
inline constexpr text evict_step = "{number}. Evict program{name} ({bytes}): {time}\n";
inline constexpr text move_step = "{number}. Move {block} ({bytes} from {from} to {to} in {copies}): {time}\n";
inline constexpr text move_aside_step =
    "{number}. Move {block} ({bytes} from {from} to {to} in {copies}), to make way for another: {time}\n";
inline constexpr text absent_block = "a block";
inline constexpr text price_of_plan = "In all {price}.\n";
inline constexpr text empty_plan = "Nothing has to be done.\n";
inline constexpr text no_plan = "Nothing makes room ({proof}).\n";
inline constexpr text proof_of_bytes = "too few bytes are free, even with everything removed that may be removed";
inline constexpr text proof_of_walls = "what must stay leaves no stretch that is long enough";
inline constexpr text proof_of_arrangements = "no arrangement that moves and evictions can reach has room";
inline constexpr text proof_of_call = "the call itself is invalid";
inline constexpr text no_proof = "unknown: none was found, but one may still exist";

// Allocation dumps. Columns are filled with spaces before they are put in.
inline constexpr text dump_head = "{message}\n{code}device {device}, manager {manager}, quantum {quantum}\n\n";
inline constexpr text runtime_code_on = "{code} on ";
inline constexpr text map_legend =
    "= reservation, b buffer, p program, # pinned or in use, d freed but waiting, . free, + several of these";
inline constexpr text map = "\nMemory from 0 to {size}, {cell} a character:\n{map}\n{legend}\nReserved at the bottom: "
                            "{reserved}, reservable: {reservable}\n";
inline constexpr text empty_list = "\n{heading} (none)\n";
inline constexpr text whole_list = "\n{heading} ({count}):\n";
inline constexpr text whole_list_of_bytes = "\n{heading} ({count}, {bytes} in all):\n";
inline constexpr text part_of_list = "\n{heading} ({shown} of {count}):\n";
inline constexpr text part_of_list_of_bytes = "\n{heading} ({shown} of {count}, {bytes} in all):\n";
inline constexpr text allocations_heading = "Largest allocations";
inline constexpr text tags_heading = "By tag";
inline constexpr text holes_heading = "Largest holes";
inline constexpr text programs_heading = "Programs";
inline constexpr text walls_heading = "Pinned, in use or reserved";
inline constexpr text frees_heading = "Frees that wait";
inline constexpr text runs_heading = "Runs in flight";
inline constexpr const char* own_work = "work of your own";
inline constexpr text all_programs_evicted = "\nPrograms ({count}, all evicted; their code would take {bytes}):\n";
inline constexpr text block_line = "{size} at {offset}  {block}{notes}\n";
inline constexpr text block_with_name = "{kind} '{name}'";
inline constexpr text block_without_name = "{kind} without a name";
inline constexpr text age_in_events = ", {events} old";
inline constexpr text age_in_runs = ", {runs} and {events} old";
inline constexpr text pinned_once = ", pinned once";
inline constexpr text pinned_times = ", pinned {times}";
inline constexpr text used_until = ", used by {runs} in flight until fence {fence}";
inline constexpr text half_moved = ", half moved";
inline constexpr text freed_but_waiting = ", freed but waiting";
inline constexpr text holds_scratch = ", holds the scratch of programs";
inline constexpr text may_not_be_moved = ", may not be moved";
inline constexpr text tag_line = "{size} in {blocks}  {tag}{oldest}{growth}\n";
inline constexpr text tag_of_programs = "code of programs";
inline constexpr text tag_without_name = "buffers without a tag";
inline constexpr text tag_with_name = "tag '{name}'";
inline constexpr text oldest = ", the oldest {steps} old";
inline constexpr text grows = ", grows by {rate} a step since {start}";
inline constexpr text since_start = "the start";
inline constexpr text since_step = "step {step}";
inline constexpr text hole_line = "{size} at {offset}  between {below} and {above}\n";
inline constexpr text bottom_of_memory = "the bottom of memory";
inline constexpr text top_of_memory = "the top of memory";
inline constexpr text neighbour = "{block} of {size}";
inline constexpr text wall_neighbour = "{block} of {size} (a wall: {reasons})";
inline constexpr text program_line =
    "  {state}  '{name}', code {code}, scratch {scratch}{spilled}, {use}, reloads in {time}\n";
inline constexpr text spilled = " and {bytes} spilled";
inline constexpr text never_run = "never run";
inline constexpr text used_last = "{uses}, the latest of all";
inline constexpr text used_before = "{uses}, the last {calls} ago";
inline constexpr text running = "running";
inline constexpr text loaded = "loaded";
inline constexpr text evicted = "evicted";
inline constexpr text nothing_moves = "  Nothing moves under this manager: every buffer is a wall.\n";
inline constexpr text nothing_leaves = "  No program is evicted under this manager.\n";
inline constexpr text free_waits_for_fence = " waits for fence {fence}";
inline constexpr text free_waits = " waits for the next time frees take effect";
inline constexpr text run_line = "  fence {fence}: '{name}', uses {blocks}, takes {time}\n";
inline constexpr text donations = "\nDonated inputs so far: {offered} offered, {taken} taken over, {kept} kept by "
                                  "their calls, {left} not taken, for want of an output of their size or by policy\n";

// Kinds of blocks.
inline constexpr text hole = "hole";
inline constexpr text buffer = "buffer";
inline constexpr text code = "code";
inline constexpr text scratch = "scratch";
inline constexpr text reservation = "reservation";
inline constexpr text waiting_buffer = "freed buffer";

}  // namespace hbm::inline v0::detail::texts
