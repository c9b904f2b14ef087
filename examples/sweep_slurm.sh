#!/bin/sh
# A sweep on Slurm: sbatch --array=0-19 sweep_slurm.sh FOLDER; when it is over: awk 'NR == 1 || !/^seed,/' FOLDER/*.csv
#
# A cell is a task of the array: a run of hbm_compare whose rows are a file of FOLDER, with the seed in front.
set -eu
folder=$1
cell=$SLURM_ARRAY_TASK_ID
seed=$((cell / 4 + 1))
requests=$((cell / 2 % 2 * 100 + 100))
capacity=$((cell % 2 * 2 + 12))GiB

mkdir -p "$folder"
"${HBM_COMPARE:-hbm_compare}" -q --jobs "${SLURM_CPUS_PER_TASK:-1}" --format csv \
    --workload "llm_serving:requests=$requests" --capacity "$capacity" --seed "$seed" |
    sed "1s/^/seed,/; 2,\$s/^/$seed,/" >"$folder/$cell.csv.new"
mv "$folder/$cell.csv.new" "$folder/$cell.csv"
