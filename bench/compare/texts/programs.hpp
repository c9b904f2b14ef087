#pragma once

/// Every sentence about programs of an XLA dump, with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

// Needs of a program.
inline constexpr std::string_view need =
    "By its files a run of {program} takes {need}: arguments {arguments} ({count}), outputs {outputs}, temporaries "
    "{temporaries}, constants {constants}, code {code}.";
inline constexpr std::string_view need_at_least = "at least {need}";
inline constexpr std::string_view need_as_replayed =
    "{replayed} as replayed ({donated} donated), {compiled} as compiled";
inline constexpr std::string_view nothing_donated = "nothing";
inline constexpr std::string_view unknown_size = "unknown";
inline constexpr std::string_view size_range = "{low} to {high}";
inline constexpr std::string_view no_outputs = "{bytes} ({count})";
/// As the program was compiled and is replayed, and as it was compiled only.
inline constexpr std::string_view outputs_without_alias[] = {
    "{bytes} ({count}, none in place of an argument)", "{bytes} ({count}, none in place of an argument as compiled)"};
inline constexpr std::string_view outputs_with_alias[] = {
    "{bytes} ({count}, {aliases} of them in place of arguments)",
    "{bytes} ({count}, {aliases} of them in place of arguments as compiled)"};

// Gaps in the files, and advice.
inline constexpr std::string_view unknown_sizes =
    "The {sizes} of {program} are unknown and counted as nothing: {remedy}.";
inline constexpr std::string_view unknown_code =
    "Code is unknown and counted as nothing: {remedy}. Add it with code=SIZE.";
inline constexpr std::string_view note_with_end = "{program}: {note}";
inline constexpr std::string_view note_without_end = "{program}: {note}.";
inline constexpr std::string_view may_fit = "{program} may or may not fit, depending on how its sizes were rounded: "
                                            "bring its buffer assignment, which has them "
                                            "exactly.";
inline constexpr std::string_view unknown_donation =
    "Donation in {program}: what could be donated is not known, because no file here says which output is which. Bring "
    "the program's module_*after_optimizations.txt or its buffer assignment.";
inline constexpr std::string_view advice_in_program = "{subject} in {program}{advice}";
inline constexpr std::string_view donation_option =
    "\n  --program FILE:donate=all replays the steps with all of them donated.";
inline constexpr std::string_view leftovers =
    "Outputs of {program} that become no argument ({bytes}) stay until the next run has replaced them, as in `loss = "
    "step(..)`: during a run those of two steps are in memory.";
inline constexpr std::string_view equal_arguments =
    "Arguments of {program} of {bytes} have the size and shape of arguments of a program before it. If they are the "
    "same buffers, as weights often are, say share=yes.";

// Temporaries of a program.
inline constexpr std::string_view temporaries =
    "Temporaries of {program} are most at instruction {instruction} of its schedule: {live} live, in {height}. "
    "{packing}{groups}";
inline constexpr std::string_view too_many = "They are too many to pack here.";
inline constexpr std::string_view best_packing = "No packing takes less.";
inline constexpr std::string_view no_better_packing = "No better packing was found.";
inline constexpr std::string_view better_packing = "The best packing takes {best}: XLA's cost {more}.";
inline constexpr std::string_view better_packing_at_most = "The best packing takes {best} or less: XLA's cost {more}.";
inline constexpr std::string_view temporary_group = "\n  {count} x {bytes} {shape}, {name}";
inline constexpr std::string_view smaller_groups = "\n  and {groups}";

// Devices that a program fits.
/// A program and several; with all sizes known, and with some unknown.
inline constexpr std::string_view verdicts[2][2] = {
    {"{program} needs {need}. {devices}", "{program} needs at least {need} ({unknown} unknown). {devices}"},
    {"The {count} programs together need {need}. {devices}",
     "The {count} programs together need at least {need} ({unknown} unknown). {devices}"},
};
inline constexpr std::string_view assumed_device = " No --capacity was given: {device} is assumed.";
inline constexpr std::string_view too_small_capacity = " The given {capacity} cannot be enough.";
inline constexpr std::string_view none_ruled_out = "No TPU is ruled out by that: {open}.";
inline constexpr std::string_view some_ruled_out = "Certainly too large for {small}; not ruled out: {open}.";
inline constexpr std::string_view fits_devices = "Fits {fits}";
inline constexpr std::string_view fits_devices_without_code = "Without its code it fits {fits}";
inline constexpr std::string_view device = "{device}";
inline constexpr std::string_view device_with_size = "{device} ({size})";
/// With devices that it fits, with those that it may fit, with those that are too small: no, yes.
inline constexpr std::string_view devices[2][2][2] = {
    {{".", "Fits no TPU: not {small}."},
     {"Perhaps fits {open}, which depends on how sizes were rounded.",
      "Perhaps fits {open}, which depends on how sizes were rounded; not {small}."}},
    {{"{fits}.", "{fits}; not {small}."},
     {"{fits}; perhaps {open}, which depends on how sizes were rounded.",
      "{fits}; perhaps {open}, which depends on how sizes were rounded; not {small}."}},
};

}  // namespace hbm::compare::texts
