# SPDX-License-Identifier: Apache-2.0
# Functions that the project's CMakeLists.txt files share.

# The project's warnings, for its own targets only.
function(tensorfmt_add_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${TENSORFMT_WERROR}>:-Werror>)
endfunction()

# Adds `directory` (relative to the project) if it has a CMakeLists.txt; a source package may come
# without its tests or benchmarks.
function(tensorfmt_add_subdirectory directory)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${directory}/CMakeLists.txt)
    add_subdirectory(${PROJECT_SOURCE_DIR}/${directory} ${PROJECT_BINARY_DIR}/${directory})
  endif()
endfunction()

# tensorfmt_add_gtest(<name> SOURCES <file>... [LIBRARIES <target>...])
# One GoogleTest executable and one ctest test, both called <name>. LIBRARIES is `tensorfmt` for a
# test of the public interface, `tensorfmt_objects` for one that calls what the library hides.
function(tensorfmt_add_gtest name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  tensorfmt_add_warnings(${name})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
