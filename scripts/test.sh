#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing (Debian; as root or with sudo), builds Release in build/ and runs every
# test. Arguments go to ctest:  sh scripts/test.sh -R unit-
set -u
script=test.sh
. "$(dirname -- "$0")/common.sh"

# shellcheck disable=SC2086 # a list of words
require_packages $build_packages libgtest-dev
build_in "$build" -DCMAKE_BUILD_TYPE=Release -DTENSORFMT_TESTS=ON -DTENSORFMT_BENCH=ON \
    -DTENSORFMT_EXAMPLES=ON

# Tests run side by side; OpenMP threads that spin while they wait would take the others' cores.
OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
export OMP_WAIT_POLICY

cd "$build" || exit 1
ctest --output-on-failure --no-tests=error --parallel "$(nproc)" "$@" ||
    give_up "some tests failed (above)"
say "PASSED: all tests"
