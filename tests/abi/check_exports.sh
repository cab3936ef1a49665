#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_exports.sh <library> <header> <cc> <nm>: the library exports what the header declares with
# TFMT_API, under the name tfmt_*, and nothing else.
set -u
library=$1 header=$2 cc=$3 nm=$4

exported=$("$nm" -D --defined-only "$library" | awk '{ print $NF }' | sort)
[ -n "$exported" ] || { echo "no symbol read from $library"; exit 1; }

others=$(printf '%s\n' "$exported" | grep -v '^tfmt_')
[ -z "$others" ] || { printf 'exported, not tfmt_*:\n%s\n' "$others"; exit 1; }

# A declaration runs from the visibility attribute to the semicolon; its name precedes the first
# parenthesis behind the attribute.
declared=$("$cc" -E -P -x c "$header" | tr '\n' ' ' | tr ';' '\n' \
    | sed -n -E 's/.*visibility\("default"\)\)\)([^(]*[ *])([A-Za-z0-9_]+) *\(.*/\2/p' | sort)
[ -n "$declared" ] || { echo "no declaration read from $header"; exit 1; }

if [ "$exported" != "$declared" ]; then
    echo "exported and declared names differ:"
    for name in $declared; do
        printf '%s\n' "$exported" | grep -qx "$name" || echo "  declared, not exported: $name"
    done
    for name in $exported; do
        printf '%s\n' "$declared" | grep -qx "$name" || echo "  exported, not declared: $name"
    done
    exit 1
fi
printf '%s\n' "$exported" | grep -c . | sed 's/$/ symbols exported, as declared/'
