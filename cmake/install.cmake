# `cmake --install`: the program (component `program`) and the library for other programs (component
# `library`): one archive of the layers below the public headers, those headers, and the files that
# find_package(toolgate) reads. docs/embedding.md is its manual; tests/run.py --only embed tries it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TOOLGATE_LIBRARY_LAYERS base async schema tools)
# What only servers use is left out, and with it the need for spdlog and Prometheus.
set(TOOLGATE_SERVER_OBJECTS "/(base/(log|metrics)|async/(batch_thread|deadline|loop|offload|scope))\\.cpp\\.o$")

add_library(toolgate_library STATIC)
set_target_properties(toolgate_library PROPERTIES OUTPUT_NAME toolgate EXPORT_NAME toolgate
                                                  LINKER_LANGUAGE CXX)
foreach(layer ${TOOLGATE_LIBRARY_LAYERS})
  set(objects $<TARGET_OBJECTS:toolgate_${layer}>)
  target_sources(toolgate_library PRIVATE $<FILTER:${objects},EXCLUDE,${TOOLGATE_SERVER_OBJECTS}>)
endforeach()
target_include_directories(toolgate_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(toolgate_library INTERFACE cxx_std_23)
# Asio's inline code must be the same here and there, or a coroutine's memory is freed by other rules.
get_directory_property(definitions COMPILE_DEFINITIONS)
target_compile_definitions(toolgate_library INTERFACE ${definitions})
target_link_libraries(toolgate_library PUBLIC fmt::fmt Boost::json Threads::Threads
                                       PRIVATE simdjson::simdjson PkgConfig::PCRE2)

# With link-time optimisation the objects hold machine code too, for programs that are linked
# without it or with another linker.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" MATCHES "-flto")
  foreach(layer ${TOOLGATE_LIBRARY_LAYERS})
    target_compile_options(toolgate_${layer} PRIVATE -ffat-lto-objects)
  endforeach()
  target_link_options(toolgate_base INTERFACE -ffat-lto-objects)
endif()

install(TARGETS toolgate COMPONENT program)
install(TARGETS toolgate_library EXPORT toolgate COMPONENT library)
install(DIRECTORY include/toolgate TYPE INCLUDE COMPONENT library FILES_MATCHING PATTERN "*.h")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/toolgate)
install(EXPORT toolgate NAMESPACE toolgate:: FILE toolgateTargets.cmake
        DESTINATION ${package_folder} COMPONENT library)
configure_package_config_file(cmake/toolgateConfig.cmake.in toolgateConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(toolgateConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/toolgateConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/toolgateConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT library)
