#!/bin/sh
# A sweep on GNU parallel: sweep_parallel.sh SHARDS FOLDER OPTION...
#
# Makes the shards of `hbm_compare OPTION...` in FOLDER, as many at a time as there are cores, and writes what a single
# run had written to FOLDER/result.json. A shard is there whole or not at all, so after an interruption the same command
# makes only what is missing. For several machines add --sshloginfile to PARALLEL_OPTIONS; FOLDER is shared then.
set -eu
if [ $# -lt 3 ]; then
    echo "Usage: $0 SHARDS FOLDER OPTION...    (for example: $0 8 shards --workload slow_leak --seed 1..20)" >&2
    exit 2
fi
shards=$1
folder=$2
shift 2
: "${HBM_COMPARE:=hbm_compare}"
mkdir -p "$folder"

# {} is the number of the shard. Each gets one core: the shards are what runs side by side.
# shellcheck disable=SC2086
seq "$shards" | parallel --will-cite --quote ${PARALLEL_OPTIONS:-} --halt soon,fail=1 \
    sh -c 'file=$1/{}.json; test -e "$file" || { shift; "$@" --shard {}/'"$shards"' --jobs 1 -q -o "$file"; }' \
    shard "$folder" "$HBM_COMPARE" "$@"

cd "$folder"
seq -f '%.0f.json' "$shards" | xargs "$HBM_COMPARE" -o result.json merge
