# SPDX-License-Identifier: Apache-2.0
# The installed package: library, headers, CMake package, pkg-config file.

include(CMakePackageConfigHelpers)
set(cmake_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tensorfmt)

install(TARGETS tensorfmt EXPORT tensorfmt-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(FILES
  include/tensorfmt/tensorfmt.h
  include/tensorfmt/tensorfmt_tags.h
  include/tensorfmt/tensorfmt.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tensorfmt COMPONENT development)

install(EXPORT tensorfmt-targets NAMESPACE tensorfmt::
  DESTINATION ${cmake_package_dir} COMPONENT development)
configure_package_config_file(cmake/tensorfmt-config.cmake.in tensorfmt-config.cmake
  INSTALL_DESTINATION ${cmake_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(tensorfmt-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/tensorfmt-config.cmake
  ${PROJECT_BINARY_DIR}/tensorfmt-config-version.cmake
  DESTINATION ${cmake_package_dir} COMPONENT development)

# The .pc file finds the prefix from its own place, so that `cmake --install --prefix` and moved trees
# work; an absolute libdir has no such relation and names the prefix.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  set(PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(PC_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file(cmake/tensorfmt.pc.in tensorfmt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tensorfmt.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
