#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_headers.sh <include folder> <cc> <c++> <scratch folder>: each public header compiles when it
# is the only one, and twice, in every language it is for, with strict warnings as errors.
set -u
include=$1 cc=$2 cxx=$3 scratch=$4
failed=0
mkdir -p "$scratch" || exit 1

check() { # check <header> <compiler> <language> <standard>
    source=$scratch/one_header.$3
    printf '#include "tensorfmt/%s"\n#include "tensorfmt/%s"\n' "$1" "$1" > "$source"
    [ "$1" = tensorfmt.h ] && echo 'tfmt_status_t status = tfmt_success;' >> "$source"
    if "$2" "-std=$4" -Wall -Wextra -pedantic -Werror -I"$include" -fsyntax-only "$source"; then
        echo "$1 as $4: fine"
    else
        echo "$1 as $4: FAILED"
        failed=1
    fi
}

for standard in c99 c11 c17; do
    check tensorfmt.h "$cc" c $standard
done
for standard in c++11 c++17 c++20; do
    check tensorfmt.h "$cxx" cpp $standard
done
for standard in c++17 c++20; do
    check tensorfmt.hpp "$cxx" cpp $standard
done
exit $failed
