#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing (Debian; as root or with sudo), builds Release in build/, takes a picture
# through a blocked layout and back, quantises weights and unpacks them, then runs the reorders of real
# frameworks: each is checked against an oracle and timed against memcpy of the same bytes, and against
# oneDNN if that is there.
# Arguments go to tensorfmt-bench:  sh scripts/demo.sh --csv
set -u
script=demo.sh
. "$(dirname -- "$0")/common.sh"

# shellcheck disable=SC2086 # a list of words
require_packages $build_packages
want_package libdnnl-dev "the comparison with oneDNN is left out"
build_in "$build" -DCMAKE_BUILD_TYPE=Release -DTENSORFMT_BENCH=ON -DTENSORFMT_EXAMPLES=ON \
    -DTENSORFMT_TESTS=OFF

cd "$root" || exit 1
printf '\n'
say "a picture from u8 nhwc to f32 nChw16c and back"
for format in ppm bmp; do
    picture=examples/data/waves.$format
    "$build/examples/example_picture" "$picture" "$build/waves.$format" \
        || give_up "the picture example ($picture)"
    cmp "$picture" "$build/waves.$format" || give_up "$build/waves.$format is not $picture"
    say "build/waves.$format equals $picture"
done

printf '\n'
say "weights to u4, MXFP4 and MXFP8, packed, and back to bf16"
"$build/examples/example_quantize_u4" || give_up "the example of quantised weights"

printf '\n'
say "the reorders of real frameworks (tests/data/frameworks.txt)"
# The largest case takes 0.5 GB, and as much again to be checked.
limit=
[ "$(available_gib)" -ge 3 ] || limit=--max-bytes=256M
"$build/bench/tensorfmt-bench" --mode=CP --min-ms=20 $limit --batch=tests/data/frameworks.txt "$@" \
    || give_up "some framework reorders failed or were refused (above)"
printf '\n'
say "PASSED: the pictures came back the same, the weights as near as can be, framework reorders are right"
