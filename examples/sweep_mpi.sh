#!/bin/sh
# A sweep on Open MPI: sweep_mpi.sh SHARDS FOLDER OPTION...
#
# Starts SHARDS processes with mpirun, each of which makes a shard of `hbm_compare OPTION...` in FOLDER, which all nodes
# see, and writes what a single run had written to FOLDER/result.json. A shard is there whole or not at all, so after a
# failure the same command makes only what is missing. MPIRUN_OPTIONS goes to mpirun: --hostfile, --oversubscribe.
set -eu
shards=$1
folder=$2
shift 2
: "${HBM_COMPARE:=hbm_compare}"

if [ -n "${OMPI_COMM_WORLD_RANK:-}" ]; then # in a process that mpirun started: one shard
    shard=$((OMPI_COMM_WORLD_RANK + 1))
    file=$folder/$shard.json
    test -e "$file" || exec "$HBM_COMPARE" "$@" --shard "$shard/$shards" --jobs 1 -q -o "$file"
    exit 0
fi

mkdir -p "$folder"
export HBM_COMPARE
# shellcheck disable=SC2086
mpirun ${MPIRUN_OPTIONS:-} -n "$shards" sh "$0" "$shards" "$folder" "$@"

cd "$folder"
seq -f '%.0f.json' "$shards" | xargs "$HBM_COMPARE" -o result.json merge
