# SPDX-License-Identifier: Apache-2.0
# cmake -DREADME=... -DC_EXAMPLE=... -DCXX_EXAMPLE=... -P check_readme.cmake
# The code that the README shows must stand in the examples, which are compiled and run. Only the
# indentation may differ.

function(unindent out text)
  string(REGEX REPLACE "\n +" "\n" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(check_block language example)
  file(READ ${README} readme)
  string(FIND "${readme}" "\n```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${README} shows no ${language} code")
  endif()
  string(LENGTH "\n```${language}\n" fence_length)
  math(EXPR begin "${begin} + ${fence_length}")
  string(SUBSTRING "${readme}" ${begin} -1 block)
  string(FIND "${block}" "```" end)
  string(SUBSTRING "${block}" 0 ${end} block)

  file(READ ${example} source)
  unindent(block "${block}")
  unindent(source "${source}")
  string(FIND "${source}" "${block}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "the ${language} code of ${README} is not in ${example}:\n${block}")
  endif()
endfunction()

check_block(c ${C_EXAMPLE})
check_block(cpp ${CXX_EXAMPLE})
