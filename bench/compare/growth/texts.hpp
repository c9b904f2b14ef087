#pragma once

/// Every sentence about growth, with placeholders in braces.

#include <string_view>

namespace hbm::growth_texts {

inline constexpr std::string_view instant = "Memory in use, by allocation site: {in_use} in all.";
inline constexpr std::string_view instant_in_quanta =
    "Memory in use, by allocation site: {in_use} in all. In whole quanta, as a manager grants them, it is {granted}.";
inline constexpr std::string_view no_steps_marked =
    "The file marks no steps: within one step rising is normal; record several steps (record_torch.py, "
    "record_jax.py). The most is {peak}{excess}; at the end {in_use} is live.";
inline constexpr std::string_view one_is_too_few =
    "{use}{seen} is too few to tell growth from anything else; {fewest} are the fewest.";
inline constexpr std::string_view too_few =
    "{use}{seen} are too few to tell growth from anything else; {fewest} are the fewest.";

// Bytes in use at the last sample.
inline constexpr std::string_view use = "{in_use} is in use. ";
inline constexpr std::string_view use_below_peak = "{in_use} is in use, at most it was {peak}. ";
inline constexpr std::string_view use_of_capacity = "{in_use} of {capacity} ({percent} %) is in use. ";
inline constexpr std::string_view use_of_capacity_below_peak =
    "{in_use} of {capacity} ({percent} %) is in use, at most it was {peak}. ";

// Memory that does not grow, for certain or not proven.
inline constexpr std::string_view unproven =
    "No steady growth is proven in {seen}, but memory ends {rise} higher than it began, at {end}; record more steps to "
    "decide.";
/// By certainty, then: memory passed the capacity, a spike, or neither.
inline constexpr std::string_view no_growth[2][3] = {
    {"Memory does not grow in {seen}, but {passed}{jump}{gap}",
     "Memory does not grow in {seen}, but {spike_place} needed {spike}{excess}; all others at most {usual}.{jump}{gap}",
     "Memory does not grow in {seen}; the most is {peak}, at {peak_place}{excess}.{jump}{gap}"},
    {"{unproven} {passed}{jump}{gap}",
     "{unproven} {Spike_place} needed {spike}{excess}; all others at most {usual}.{jump}{gap}",
     "{unproven} The most is {peak}, at {peak_place}{excess}.{jump}{gap}"},
};

// Memory that grows.
inline constexpr std::string_view growth = "{who} by {rate} {unit}{since}{culprit}{inferred}{few}; {end}{jump}{gap}";
inline constexpr std::string_view memory_grows = "Memory grows";
inline constexpr std::string_view from_start = " from the start";
inline constexpr std::string_view since = " since {place}";
inline constexpr std::string_view not_together = "; all memory together does not grow steadily";
inline constexpr std::string_view lost = "; the rise is too small to show in all memory together";
inline constexpr std::string_view nearly_lost = "; it has risen by {risen}, all memory together varies by {varied}";
inline constexpr std::string_view inferred =
    " (steps were inferred from repeating rows; a repeated layer looks the same)";
inline constexpr std::string_view few = " (with little certainty: {seen} are few)";

/// Tag, as the subject of a sentence.
struct tag_texts {
    std::string_view grows;
    std::string_view holds;
    std::string_view has_risen;
    std::string_view cell;  ///< its name in the table
};
inline constexpr tag_texts named_tag = {"Tag '{tag}' grows", "; tag '{tag}' holds {share} % of it",
                                        "; tag '{tag}' has risen most, by {risen}", "{tag}"};
inline constexpr tag_texts no_tag = {"Blocks without a tag grow", "; blocks without a tag hold {share} % of it",
                                     "; blocks without a tag have risen most, by {risen}", "(none)"};
inline constexpr tag_texts other_tags = {"The other tags grow", "; the other tags hold {share} % of it",
                                         "; the other tags have risen most, by {risen}", "(others)"};
inline constexpr tag_texts programs = {"Programs grow", "; programs hold {share} % of it",
                                       "; programs have risen most, by {risen}", "(programs)"};

// Changes at once, and times without samples.
inline constexpr std::string_view jump = " At {place} it rose by {risen} at once, which is not counted as growth.";
inline constexpr std::string_view gap =
    " From {begin} to {end} there are no {step}s: memory rose by {risen} in between, steadily or at once.";
inline constexpr std::string_view excess = ", which is {more} more than {limit} ({capacity})";

// End of memory.
inline constexpr std::string_view capacity_unknown = "the capacity is not known.";
inline constexpr std::string_view is_full = "memory ({capacity}) is full.";
inline constexpr std::string_view full_at = "memory ({capacity}) is full at {place}{range}{evicting}.";
inline constexpr std::string_view full_in =
    "memory ({capacity}) is full in {time}{range}, counted from the last {step}.";
inline constexpr std::string_view live_passed =
    "live bytes passed {limit} ({capacity}) at {place}; at the end they are {in_use}{evicting}.";
inline constexpr std::string_view samples_passed =
    "bytes_in_use passed {limit} ({capacity}) at {place}; the last sample is {in_use}{evicting}.";
inline constexpr std::string_view between = " (between {first} and {last})";
inline constexpr std::string_view earliest_in = " (at the earliest in {first}, perhaps much later)";
inline constexpr std::string_view earliest_at = " (at the earliest at {first}, perhaps much later)";
inline constexpr std::string_view evicting = "; if programs that do not run are evicted, it is full at {place}";
inline constexpr std::string_view limit_of_samples = "bytes_limit";
inline constexpr std::string_view limit_given = "the capacity";

// Steps and places.
inline constexpr std::string_view an_hour = "an hour";
inline constexpr std::string_view a_step = "a {step}";
inline constexpr std::string_view a_step_of_rows = "a {step} of {rows} rows";
inline constexpr std::string_view steps = "{step}s";
inline constexpr std::string_view steps_of_rows = "steps of {rows} rows";
inline constexpr std::string_view seen = "{count} {step}s";
inline constexpr std::string_view seen_one = "{count} {step}";
inline constexpr std::string_view place = "{step} {position}";
inline constexpr std::string_view first_place = "the first {step}";
inline constexpr std::string_view later_place = "{time} after the first {step}";

// Warnings about samples.
inline constexpr std::string_view one_left_out = "{file}: {count} sample without bytes in use is left out";
inline constexpr std::string_view left_out = "{file}: {count} samples without bytes in use are left out";
inline constexpr std::string_view put_in_order =
    "{place}: the step or time is before that of the sample above; the samples are put in order. If the program began "
    "anew there, judge each part by itself";
inline constexpr std::string_view replaced = "{place}: {samples} the {position} of another; of those with one "
                                             "{position} the last counts. If they are of several "
                                             "devices, name these in a column `device`";
inline constexpr std::string_view replaced_of_device =
    "{place}: {samples} the {position} of another; of those with one {position} the last counts";
inline constexpr std::string_view header_of_samples =
    "; samples need a header with bytes_in_use, such as `step,bytes_in_use,bytes_limit`";
inline constexpr std::string_view pass_capacity = "\nPass --capacity (16GiB, v5e) to forecast when memory runs out.\n";
inline constexpr std::string_view no_places =
    "The samples are taken to be equally far apart. A column step or time (seconds, or dates) places them, and gives "
    "the time at which memory ends.";

// Table.
inline constexpr std::string_view more_tags = "and {count} more\n";
inline constexpr std::string_view legend = "grows: bytes {unit}; oldest: how many {steps} ago it was allocated";

}  // namespace hbm::growth_texts
