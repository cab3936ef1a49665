# SPDX-License-Identifier: Apache-2.0
# What the scripts share. Sourced by them, with `script` set to the caller's name: sets `root`, the
# project's folder, and changes nothing else.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
build=$root/build

say() { printf '%s: %s\n' "$script" "$*"; }
give_up() {
    printf '%s: FAILED: %s\n' "$script" "$*" >&2
    exit 1
}

is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

missing_of() {
    missing_list=
    for package in "$@"; do
        is_installed "$package" || missing_list="$missing_list${missing_list:+ }$package"
    done
    echo "$missing_list"
}

# Runs a command as root. The environment is set here because sudo drops the caller's.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

apt_install() { as_root apt-get install -y -q --no-install-recommends "$@"; }

can_install() {
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1
}

# Package lists are fetched once a run, and only if something is missing.
apt_lists_fresh=
refresh_apt_lists() {
    [ -n "$apt_lists_fresh" ] || as_root apt-get update -q || return 1
    apt_lists_fresh=yes
}

# Installs those of the named Debian packages that are not there yet; gives up if that cannot be done.
require_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
        say "no apt-get here; taking it that these are installed: $*"
        return 0
    fi
    missing=$(missing_of "$@")
    [ -n "$missing" ] || return 0
    can_install || give_up "missing: $missing. This is not root and there is no sudo; as" \
        "root: apt-get install $missing"
    say "installing $missing"
    # shellcheck disable=SC2086 # a list of words
    { refresh_apt_lists && apt_install $missing; } || give_up "apt-get could not install $missing"
}

# The same for what is good to have; says so and goes on without it.
want_package() {
    command -v dpkg-query >/dev/null 2>&1 || return 0
    is_installed "$1" && return 0
    if can_install && { refresh_apt_lists && apt_install "$1"; }; then
        return 0
    fi
    say "going on without $1 ($2)"
}

# Memory that can be had without swapping; a guess where the system does not tell.
available_gib() {
    awk '/^MemAvailable:/ { gib = int($2 / 1048576); found = 1 } END { print found ? gib : 4 }' \
        /proc/meminfo 2>/dev/null || echo 4
}

# Compilations that run at once: one a core, and no more than memory has GiB for.
parallel_jobs() {
    cores=$(nproc 2>/dev/null || echo 1)
    gib=$(available_gib)
    [ "$gib" -lt "$cores" ] && cores=$gib
    [ "$cores" -ge 1 ] || cores=1
    echo "$cores"
}

# build_in <folder> [cmake option]...: configures and builds the project there. Options in the
# environment variable TENSORFMT_CMAKE_OPTIONS are added. A folder that was configured before keeps
# its generator, unless it was configured for another source tree.
build_in() {
    folder=$1
    shift
    if [ -f "$folder/CMakeCache.txt" ] \
            && ! grep -q "^CMAKE_HOME_DIRECTORY:INTERNAL=$root\$" "$folder/CMakeCache.txt"; then
        rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
    fi
    [ -f "$folder/CMakeCache.txt" ] || set -- -G Ninja "$@"
    # shellcheck disable=SC2086 # a list of words
    cmake -S "$root" -B "$folder" "$@" ${TENSORFMT_CMAKE_OPTIONS:-} \
        || give_up "cmake could not configure $folder"
    cmake --build "$folder" --parallel "$(parallel_jobs)" || give_up "$folder does not build"
}

build_packages='g++ cmake ninja-build pkg-config libxbyak-dev libhwloc-dev'
