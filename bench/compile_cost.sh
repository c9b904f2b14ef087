#!/usr/bin/env bash
# What including the library costs: user seconds of the compiler as ratios to the same standard headers alone, least of
# five runs in turn, and bytes of text. Usage: bench/compile_cost.sh [COMPILER]
set -euo pipefail
compiler="${1:-g++}"
include="$(cd "$(dirname "${BASH_SOURCE[0]}")/../include" && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C TIMEFORMAT=%U

for header in array bit compare concepts cstddef cstdint initializer_list limits optional span type_traits utility vector; do
    printf '#include <%s>\n' "$header"
done >"$folder/standard.cpp"
printf '#include <hbm/hbm.hpp>\n' >"$folder/umbrella.cpp"
cat >"$folder/best_fit.cpp" <<'CODE'
#include <hbm/hbm.hpp>
int main() {
    hbm::manager<hbm::best_fit> memory{hbm::tpu::v5e};
    const auto made = memory.allocate(std::uint64_t{1} << 20);
    return made && memory.free(*made) ? 0 : 1;
}
CODE
# The first program of the README.
sed -n '/^```cpp$/,/^```$/{p;/^```$/q}' "$include/../README.md" | sed '/^```/d' >"$folder/readme.cpp"

names=(standard umbrella best_fit readme)
declare -A least
for _ in 1 2 3 4 5; do
    for name in "${names[@]}"; do
        seconds="$({ time "$compiler" -std=c++20 -O2 -I "$include" -c "$folder/$name.cpp" -o "$folder/$name.o"; } 2>&1)"
        least[$name]="$(awk -v a="${least[$name]:-999}" -v b="$seconds" 'BEGIN { print b < a ? b : a }')"
    done
done
printf '%-10s %8s %8s %8s\n' file seconds ratio text
for name in "${names[@]}"; do
    text="$(size "$folder/$name.o" | awk 'NR == 2 { print $1 }')"
    awk -v n="$name" -v s="${least[$name]}" -v b="${least[standard]}" -v t="$text" \
        'BEGIN { printf "%-10s %8.2f %8.1f %8d\n", n, s, s / b, t }'
done
