#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lists the C and C++ files that scripts/format.sh would change; fails if there are any.
set -u
. "$(dirname -- "$0")/format-files.sh"

differ=0
for file in $(format_files "$@"); do
    lines=$("$clang_format" "$file" | diff "$file" - | grep -c '^<\|^>')
    if [ "$lines" -ne 0 ]; then
        echo "check-format.sh: $file: $lines lines differ"
        differ=$((differ + 1))
    fi
done
if [ "$differ" -ne 0 ]; then
    echo "check-format.sh: FAILED: $differ files; run sh scripts/format.sh" >&2
    exit 1
fi
echo "check-format.sh: PASSED"
