#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_rooms.sh <project folder>: who may include what. doc/design.md has the reasons.
set -u
cd "$1" || exit 1
failed=0

# only <what> <pattern> <in> <allowed path prefixes, as an extended regular expression>
only() {
    guests=$(grep -rnE --include='*.hpp' --include='*.cpp' --include='*.h' -e "$2" $3 \
        | grep -vE "^($4)")
    if [ -n "$guests" ]; then
        printf '%s, but:\n%s\n' "$1" "$guests"
        failed=1
    fi
}
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*'

[ -n "$(find src/common src/cpu tests/support -name '*.cpp' | head -n 1)" ] || {
    echo "no sources below $1"
    exit 1
}
only "src/common knows no machine" "${include}[<\"](cpu/|api/)" src/common none
only "Xbyak is known in src/cpu/jit" "${include}[<\"]xbyak" "src include" src/cpu/jit/
only "hwloc is known in src/cpu/topology" "${include}[<\"]hwloc" "src include" \
    src/cpu/topology/hwloc
only "OpenMP is known in src/cpu/exec and src/cpu/topology" \
    "${include}[<\"]omp\\.h|#pragma omp" "src include" 'src/cpu/(exec|topology)/'
only "CPUID is asked in src/cpu/isa" "${include}[<\"]cpuid\\.h|__get_cpuid|__builtin_cpu_supports" \
    "src include" src/cpu/isa/
only "the oracle shares no code with src" \
    "${include}[<\"](common|cpu|api|src)/" "tests/support bench" none
only "public headers include only each other and the standard library" \
    "${include}\"" include \
    'include/tensorfmt/tensorfmt\.hpp:[0-9]+:#include "tensorfmt\.h"|include/tensorfmt/tensorfmt\.h:[0-9]+:#include "tensorfmt_tags\.h"'
[ "$failed" -eq 0 ] && echo "every include stays in its room"
exit $failed
