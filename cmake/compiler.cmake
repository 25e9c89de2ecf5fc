# Compiler, warnings and build accelerators for every target.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR
    "Use clang 19: 'make build' does, or pass -DCMAKE_CXX_COMPILER=clang++-19. "
    "GCC before 13 miscompiles coroutines (frames are destroyed twice or not at all), and base/json_scan uses "
    "clang's vectors of bits.")
endif()

find_program(TOOLGATE_CCACHE ccache)
if(TOOLGATE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${TOOLGATE_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough
                    -Wno-missing-field-initializers -Wno-missing-designated-field-initializers)
add_link_options(-fuse-ld=lld)
if("${CMAKE_CXX_FLAGS_RELEASE}" MATCHES "-flto=thin")  # several programs are linked from the same objects
  add_link_options($<$<CONFIG:Release>:-Wl,--thinlto-cache-dir=${CMAKE_BINARY_DIR}/lto>)
endif()
# ccache needs the precompiled header to be free of timestamps.
add_compile_options(-Xclang -fno-pch-timestamp)
option(TOOLGATE_WERROR "treat warnings as errors" OFF)
if(TOOLGATE_WERROR)
  add_compile_options(-Werror)
endif()

# Asio without its deprecated parts, and without its own store of coroutine frames: it holds a few,
# where requests have a dozen each, and for all others a search of it comes before malloc.
add_compile_definitions(BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_ARRAY
                        BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING)

set(TOOLGATE_SANITIZE "" CACHE STRING "sanitizers, as for -fsanitize=")
if(TOOLGATE_SANITIZE)
  add_compile_options(-fsanitize=${TOOLGATE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TOOLGATE_SANITIZE})
endif()
