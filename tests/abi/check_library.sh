#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_library.sh <library> <soname> <readelf> <strip> <scratch file>: soname, size without debug
# information, no executable stack, no relocation of code, no dependency beyond the expected ones.
set -u
library=$1 soname=$2 readelf=$3 strip=$4 scratch=$5
limit_bytes=2000000
failed=0
fail() { echo "FAILED: $*"; failed=1; }

"$strip" -o "$scratch" "$library" || exit 1
size_bytes=$(wc -c < "$scratch")
rm -f "$scratch"
echo "stripped: $size_bytes bytes, limit $limit_bytes"
[ "$size_bytes" -lt "$limit_bytes" ] || fail "too large"

dynamic=$("$readelf" -dW "$library") || exit 1
printf '%s\n' "$dynamic" | grep -q "SONAME.*\[$soname\]" || fail "soname is not $soname"
printf '%s\n' "$dynamic" | grep -q 'TEXTREL' && fail "relocates code"
printf '%s\n' "$dynamic" | grep -Eq 'RPATH|RUNPATH' && fail "has a run path"
for needed in $(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $needed in
    libstdc++.so.* | libgcc_s.so.* | libm.so.* | libc.so.* | libpthread.so.* | ld-linux*) ;;
    libgomp.so.* | libhwloc.so.*) ;;
    *) fail "depends on $needed" ;;
    esac
done

stack=$("$readelf" -lW "$library" | grep GNU_STACK)
case $stack in
*RWE*) fail "asks for an executable stack" ;;
*RW*) ;;
*) fail "does not say what stack it wants: $stack" ;;
esac
exit $failed
