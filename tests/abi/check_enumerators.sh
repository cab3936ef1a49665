#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_enumerators.sh <header> <pinned file> <cc>: every "name number" of the pinned file still holds
# in the header. New enumerators are allowed; append them with
#   check_enumerators.sh <header> --print <cc> > enumerators.txt
set -u
header=$1 pinned=$2 cc=$3

# Enumerators come as "name = number" or "name = other name", one a line after this.
now=$("$cc" -E -P -x c "$header" | tr ',{}' '\n\n\n' | awk '
    $1 ~ /^tfmt_[A-Za-z0-9_]+$/ && $2 == "=" && NF == 3 {
        if ($3 in number) $3 = number[$3]
        number[$1] = $3
        print $1, $3
    }')
count=$(printf '%s\n' "$now" | grep -Ec '^tfmt_[A-Za-z0-9_]+ (0x)?[0-9a-f]+$')
total=$(printf '%s\n' "$now" | grep -c .)
if [ "$count" -lt 1000 ] || [ "$count" -ne "$total" ]; then
    echo "read $count numbers of $total enumerators from $header"
    exit 1
fi

if [ "$pinned" = --print ]; then
    printf '%s\n' "$now"
    exit 0
fi
changed=$(printf '%s\n' "$now" | awk '
    FNR == NR { now[$1] = $2; next }
    !($1 in now) { print "  " $1 " was " $2 ", is gone"; next }
    now[$1] != $2 { print "  " $1 " was " $2 ", is " now[$1] }' - "$pinned")
if [ -n "$changed" ]; then
    printf 'published numbers changed:\n%s\n' "$changed"
    exit 1
fi
echo "$(grep -c . "$pinned") published numbers hold, $total enumerators are there"
