#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats the project's C and C++ files in place:  sh scripts/format.sh [file...]
set -u
. "$(dirname -- "$0")/format-files.sh"

format_files "$@" | xargs "$clang_format" -i
