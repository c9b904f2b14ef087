#!/bin/sh
# A sweep on Slurm: sweep_slurm.sh SHARDS FOLDER OPTION...
#
# Makes the shards of `hbm_compare OPTION...` in FOLDER, which all nodes see, as an array of jobs; waits for them, and
# writes what a single run had written to FOLDER/result.json. A shard is there whole or not at all, so after a failure
# the same command makes only what is missing. SBATCH_OPTIONS goes to sbatch: a partition, a time limit, memory.
set -eu
shards=$1
folder=$2
shift 2
: "${HBM_COMPARE:=hbm_compare}"

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then # in a job of the array: one shard
    file=$folder/$SLURM_ARRAY_TASK_ID.json
    test -e "$file" ||
        exec "$HBM_COMPARE" "$@" --shard "$SLURM_ARRAY_TASK_ID/$shards" --jobs "${SLURM_CPUS_PER_TASK:-1}" -q -o "$file"
    exit 0
fi

mkdir -p "$folder"
missing=
for shard in $(seq "$shards"); do
    test -e "$folder/$shard.json" || missing=$missing,$shard
done
if [ -n "$missing" ]; then
    # shellcheck disable=SC2086
    HBM_COMPARE=$HBM_COMPARE sbatch --wait --export=ALL --job-name=hbm_sweep --output="$folder/%a.log" \
        --array="${missing#,}" ${SBATCH_OPTIONS:-} "$0" "$shards" "$folder" "$@"
fi

cd "$folder"
seq -f '%.0f.json' "$shards" | xargs "$HBM_COMPARE" -o result.json merge
