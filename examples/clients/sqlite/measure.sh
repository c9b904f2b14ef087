#!/bin/sh
# The throughput of SQLite's speed test on hbm: measure.sh PROGRAM [ROUNDS [MANAGER [OPTIONS OF THE SPEED TEST]]].
# Each round runs it with SQLite's own allocator and on the manager, in turns first; the medians of the user's and the
# system's processor time are compared.
program=${1:?measure.sh PROGRAM [ROUNDS [MANAGER [OPTIONS...]]]}
rounds=${2:-11}
manager=${3:-good_fit}
[ $# -gt 3 ] && shift 3 || set -- --size 30 :memory:
times=$(mktemp) || exit 1
trap 'rm -f "$times"' EXIT
"$program" "$@" > /dev/null || { echo "measure.sh: $program $* failed" >&2; exit 1; }
round=0
while [ "$round" -lt "$rounds" ]; do
    if [ $((round % 2)) = 0 ]; then order="default $manager"; else order="$manager default"; fi
    for name in $order; do
        LC_ALL=C HBM_SQLITE=$name bash -c 'TIMEFORMAT="%U %S"; time "$0" "$@" > /dev/null' "$program" "$@" 2>&1 |
            awk -v name="$name" '{ print name, $1 + $2 }' >> "$times"
    done
    round=$((round + 1))
done
median() { awk -v name="$1" '$1 == name { print $2 }' "$times" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
own=$(median default)
ours=$(median "$manager")
echo "$own $ours" | awk -v m="$manager" -v r="$rounds" '{ printf "%s: %.3f of the throughput of SQLite'"'"'s own allocator (%.2f s against %.2f s, medians of %d rounds)\n", m, $1 / $2, $2, $1, r }'
