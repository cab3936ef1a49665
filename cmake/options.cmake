# SPDX-License-Identifier: Apache-2.0
# What the user may choose, and the dependencies that follow from it.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

option(TENSORFMT_JIT "Generate machine code with Xbyak (x86-64 only)" ON)
option(TENSORFMT_OPENMP "Run large reorders on several threads through OpenMP" ON)
option(TENSORFMT_HWLOC "Read cores and NUMA nodes through hwloc" ON)
option(TENSORFMT_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TENSORFMT_BENCH "Build tensorfmt-bench" ${PROJECT_IS_TOP_LEVEL})
option(TENSORFMT_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(TENSORFMT_WERROR "Treat the project's own warnings as errors" OFF)
set(TENSORFMT_SANITIZE "" CACHE STRING "Sanitizers to build everything with, e.g. address;undefined")

if(TENSORFMT_JIT AND NOT (CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$"
    AND CMAKE_SIZEOF_VOID_P EQUAL 8))
  message(STATUS "tensorfmt: no JIT for ${CMAKE_SYSTEM_PROCESSOR}; portable paths only")
  set(TENSORFMT_JIT OFF)
endif()

if(TENSORFMT_SANITIZE)
  list(JOIN TENSORFMT_SANITIZE "," sanitizers)
  set(TENSORFMT_SANITIZE_FLAGS -fsanitize=${sanitizers} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_compile_options(${TENSORFMT_SANITIZE_FLAGS})
  add_link_options(${TENSORFMT_SANITIZE_FLAGS})
endif()

# Everything that the library's sources are compiled and linked with, beyond the C++ library.
add_library(tensorfmt_dependencies INTERFACE)

if(TENSORFMT_JIT)
  find_path(XBYAK_INCLUDE_DIR xbyak/xbyak.h)
  if(NOT XBYAK_INCLUDE_DIR)
    message(FATAL_ERROR "tensorfmt: xbyak/xbyak.h not found. Install Xbyak (Debian: libxbyak-dev), "
      "set XBYAK_INCLUDE_DIR, or configure with -DTENSORFMT_JIT=OFF.")
  endif()
  target_include_directories(tensorfmt_dependencies SYSTEM INTERFACE ${XBYAK_INCLUDE_DIR})
  target_compile_definitions(tensorfmt_dependencies INTERFACE TENSORFMT_HAVE_JIT=1)
endif()

if(TENSORFMT_HWLOC)
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(HWLOC IMPORTED_TARGET hwloc)
  endif()
  if(NOT HWLOC_FOUND)
    message(FATAL_ERROR "tensorfmt: hwloc not found through pkg-config. Install both (Debian: "
      "libhwloc-dev pkg-config) or configure with -DTENSORFMT_HWLOC=OFF.")
  endif()
  target_link_libraries(tensorfmt_dependencies INTERFACE PkgConfig::HWLOC)
  target_compile_definitions(tensorfmt_dependencies INTERFACE TENSORFMT_HAVE_HWLOC=1)
endif()

find_package(Threads REQUIRED)
target_link_libraries(tensorfmt_dependencies INTERFACE Threads::Threads)
if(TENSORFMT_OPENMP)
  find_package(OpenMP COMPONENTS CXX)
  if(NOT OpenMP_CXX_FOUND)
    message(FATAL_ERROR "tensorfmt: ${CMAKE_CXX_COMPILER} has no OpenMP. Configure with "
      "-DTENSORFMT_OPENMP=OFF to run every reorder on the calling thread.")
  endif()
  target_link_libraries(tensorfmt_dependencies INTERFACE OpenMP::OpenMP_CXX)
endif()
