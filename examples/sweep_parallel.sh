#!/bin/sh
# A sweep on GNU parallel: sweep_parallel.sh >result.csv
#
# A cell is a run of hbm_compare with --format csv; its rows go below the header of the first, with the seed in front.
# As many cells run at a time as there are cores; --sshloginfile in PARALLEL_OPTIONS adds machines.
set -eu
: "${HBM_COMPARE:=hbm_compare}"

# shellcheck disable=SC2086
parallel --will-cite --keep-order --halt soon,fail=1 ${PARALLEL_OPTIONS:-} \
    "$HBM_COMPARE" --jobs 1 -q --format csv --workload llm_serving:requests={1} --capacity {2} --seed {3} "|" \
    sed "'1s/^/seed,/; 2,\$s/^/{3},/'" \
    ::: 100 200 ::: 12GiB 14GiB ::: $(seq 1 5) | awk 'NR == 1 || !/^seed,/'
