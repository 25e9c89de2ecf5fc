# The allocator of our programs. What one thread makes another often frees, which costs the C
# library's malloc a fifth of the time of a call (bench/approvals.py, with and without). Whoever
# embeds the libraries keeps their own allocator, and sanitizers bring theirs.
add_library(toolgate_memory INTERFACE)
if(NOT TOOLGATE_SANITIZE)
  find_library(TOOLGATE_JEMALLOC jemalloc_pic REQUIRED)
  target_link_libraries(toolgate_memory INTERFACE ${TOOLGATE_JEMALLOC})
endif()
