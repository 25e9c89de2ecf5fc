function(toolgate_precompile target name)
  target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${name}.h)
endfunction()

# toolgate_layer(NAME LINK lib… [PRIVATE lib…] [PRECOMPILED name]): a static library of every .cpp below
# src/NAME, with cmake/precompiled/name.h (standard.h) compiled once.
# A bare layer name in LINK means that layer, so a layer sees only what stands below it.
function(toolgate_layer name)
  cmake_parse_arguments(arg "" "PRECOMPILED" "LINK;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(toolgate_${name} STATIC ${sources})
  target_include_directories(toolgate_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src
                                                     ${PROJECT_SOURCE_DIR}/include)
  foreach(library ${arg_LINK})
    if(TARGET toolgate_${library})
      target_link_libraries(toolgate_${name} PUBLIC toolgate_${library})
    else()
      target_link_libraries(toolgate_${name} PUBLIC ${library})
    endif()
  endforeach()
  target_link_libraries(toolgate_${name} PRIVATE ${arg_PRIVATE})
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED standard)
  endif()
  toolgate_precompile(toolgate_${name} ${arg_PRECOMPILED})
endfunction()
