#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_installed.sh <build folder> <consumer project> <scratch folder>: installs, moves the installed
# tree to another place, and from there builds and runs the consumer through find_package and through
# pkg-config. Environment: CMAKE CMAKE_GENERATOR CC CXX CFLAGS CXXFLAGS VERSION SOVERSION.
set -u
build=$1 consumer=$2 scratch=$3
fail() { echo "FAILED: $*"; exit 1; }

rm -rf "$scratch" && mkdir -p "$scratch" || exit 1
"$CMAKE" --install "$build" --prefix "$scratch/first" > "$scratch/install.log" \
    || fail "cmake --install"
mv "$scratch/first" "$scratch/moved" || exit 1
prefix=$scratch/moved

pc=$(find "$prefix" -name tensorfmt.pc)
[ -n "$pc" ] || fail "no tensorfmt.pc installed"
libdir=${pc%/pkgconfig/tensorfmt.pc}
for file in "$prefix"/include/tensorfmt/tensorfmt.h "$prefix"/include/tensorfmt/tensorfmt_tags.h \
    "$prefix"/include/tensorfmt/tensorfmt.hpp "$libdir/libtensorfmt.so" \
    "$libdir/libtensorfmt.so.$SOVERSION" "$libdir/libtensorfmt.so.$VERSION" \
    "$libdir/cmake/tensorfmt/tensorfmt-config.cmake"; do
    [ -e "$file" ] || fail "not installed: $file"
done
grep -rlF -e "$build" -e "$scratch/first" "$prefix/include" "$libdir/cmake" "$pc" \
    && fail "installed files name the build folder or the first prefix"

echo "-- find_package"
"$CMAKE" -S "$consumer" -B "$scratch/cmake" -G "$CMAKE_GENERATOR" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$prefix" -DWANTED_VERSION="$VERSION" > "$scratch/cmake.log" 2>&1 \
    && "$CMAKE" --build "$scratch/cmake" >> "$scratch/cmake.log" 2>&1 \
    || { cat "$scratch/cmake.log"; fail "the consumer does not build with find_package"; }
"$scratch/cmake/consumer_c" || fail "consumer_c of find_package"
"$scratch/cmake/consumer_cpp" || fail "consumer_cpp of find_package"

if ! command -v pkg-config > /dev/null; then
    echo "-- no pkg-config here, that half is not checked"
    exit 0
fi
echo "-- pkg-config"
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion tensorfmt)" = "$VERSION" ] || fail "pkg-config has another version"
# shellcheck disable=SC2046,SC2086 # lists of words
"$CC" -std=c99 $CFLAGS "$consumer/consumer.c" -o "$scratch/pc_c" \
    $(pkg-config --cflags --libs tensorfmt) || fail "consumer.c does not build with pkg-config"
# shellcheck disable=SC2046,SC2086
"$CXX" -std=c++17 $CXXFLAGS "$consumer/consumer.cpp" -o "$scratch/pc_cpp" \
    $(pkg-config --cflags --libs tensorfmt) || fail "consumer.cpp does not build with pkg-config"
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
"$scratch/pc_c" || fail "consumer_c of pkg-config"
"$scratch/pc_cpp" || fail "consumer_cpp of pkg-config"
