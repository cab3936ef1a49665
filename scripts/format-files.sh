# SPDX-License-Identifier: Apache-2.0
# Sourced by format.sh and check-format.sh. Goes to the project's folder and sets `clang_format`:
# version 14, since versions differ in what they do with the same configuration.

cd -- "$(dirname -- "$0")/.." || exit 1
clang_format=$(command -v clang-format-14) || {
    echo "clang-format-14 is not installed (Debian: apt-get install clang-format-14)" >&2
    exit 1
}

# The files named, or all of the project's.
format_files() {
    if [ $# -gt 0 ]; then
        printf '%s\n' "$@"
    else
        find include src tests bench examples -type f \
            \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cpp' \) | LC_ALL=C sort
    fi
}
