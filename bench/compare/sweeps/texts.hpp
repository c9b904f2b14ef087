#pragma once

/// Every sentence about stored results, --check, shards and their merging, with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

// Comparison with stored figures.
inline constexpr std::string_view worse = "worse: {row}";
inline constexpr std::string_view better = "better: {row}";
inline constexpr std::string_view changed = "changed: {row}";
inline constexpr std::string_view found_worse =
    "--check: found {count} that got worse, expected none; if that is meant, keep the new figures with --save";
inline constexpr std::string_view changed_figure = "{row}: {figure}: {now} instead of {before}";
/// Less and more than before.
inline constexpr std::string_view difference[] = {" ({difference} less)", " ({difference} more)"};
inline constexpr std::string_view difference_in_percent[] = {" ({difference} less, {percent} %)",
                                                             " ({difference} more, {percent} %)"};
inline constexpr std::string_view equal_within_luck = ", equal within luck";
inline constexpr std::string_view no_longer_completes = "{row}: no longer completes: {error}";
inline constexpr std::string_view completes_now = "{row}: completes now";
inline constexpr std::string_view new_row = "{row}: a new row";
inline constexpr std::string_view repeated_row = "the row {row} twice";
inline constexpr std::string_view saved_row = "the row {row} as --save wrote it";
inline constexpr std::string_view missing_row = "{row}: the row is missing in this run";
inline constexpr std::string_view other_options =
    "{file}: found figures made {before}, expected figures made {now} as those of this run: otherwise they cannot be "
    "compared; or keep new figures with --save";
inline constexpr std::string_view with_option = "with {option} {values}";
inline constexpr std::string_view without_option = "without {option}";

// Shards.
inline constexpr std::string_view not_a_shard =
    "{file}: found a whole result, expected a shard, as `hbm_compare --shard I/N` writes it";
inline constexpr std::string_view rows_of_shard =
    "{file}: found {rows} rows in shard {index}/{count}, expected {expected}; make it again: {command}";
inline constexpr std::string_view other_command =
    "{file}: found shard {index}/{count} of another command, `{own_command}`, expected one of `{first_command}`, as "
    "{first} is; make it again: {command}";
inline constexpr std::string_view other_count =
    "{file}: found shard {index}/{count}, expected one of {first_count} as {first} is; all shards of a result are made "
    "with the same number behind the slash";
inline constexpr std::string_view other_version =
    "{file}: found shard {index}/{count} that version {version} made, expected one of version {first_version}, as "
    "{first} is; make it again: {command}";
inline constexpr std::string_view other_managers =
    "{file}: found shard {index}/{count} of other managers or workloads, expected one of the same, as {first} is; make "
    "it again: {command}";
inline constexpr std::string_view other_input =
    "{file}: found shard {index}/{count} whose input {input} has the digest {digest}, expected one with the digest "
    "{first_digest} of {first_input}, as {first} is; make it again: {command}";
inline constexpr std::string_view other_keys =
    "{file}: found shard {index}/{count} with other keys, expected one with the same keys, as {first} is; make it "
    "again: {command}";
inline constexpr std::string_view shard_twice =
    "{file}: found shard {index}/{count}, expected another one: {first} is that shard; leave one of them out, or make "
    "it again: {command}";
inline constexpr std::string_view missing_shards =
    "merge: found {found} of {count} shards, expected all of them; make those that are missing:{shards}";
inline constexpr std::string_view missing_shard = "\n  shard {index}/{count}: {command}";
inline constexpr std::string_view more_shards = "\n  and {count} more";

// Merging.
inline constexpr std::string_view merged_version =
    "merge: found shards that version {found} made, expected those of version {expected}";
inline constexpr std::string_view merged_managers =
    "merge: found shards of other managers or workloads than `{command}` has here, expected the same";
inline constexpr std::string_view merged_input = "{file}: found a file with the digest {found}, expected the digest "
                                                 "{expected} that it had when the shards were made";
inline constexpr std::string_view merged_rows = "merge: found {found} rows, expected {expected}";
inline constexpr std::string_view merge_remedy =
    "{error}; this output takes the workloads as well as the shards: write it where they were made, with the same "
    "files, or take --format json or csv, which hold the rows alone";
inline constexpr std::string_view stored_figure = "merge: found {found} as `{key}` of a row, expected {expected}";

}  // namespace hbm::compare::texts
