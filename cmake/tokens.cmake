# toolgate_token_tables(TARGET): makes the token tables from OpenAI's rank files and links them into
# TARGET. The rank files are fetched once for all build folders and must have the pinned hashes.
set(TOOLGATE_RANKS ${PROJECT_SOURCE_DIR}/build/tools/ranks CACHE PATH
    "folder with o200k_base.tiktoken and cl100k_base.tiktoken")

function(toolgate_fetch_ranks)
  execute_process(COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/fetch-ranks.sh ${TOOLGATE_RANKS}
                  RESULT_VARIABLE status ERROR_VARIABLE error)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "The token tables need OpenAI's rank files.\n${error}"
                        "Or point -DTOOLGATE_RANKS= at a folder that has them.")
  endif()
endfunction()

function(toolgate_token_tables target)
  toolgate_fetch_ranks()
  add_executable(pack_ranks ${PROJECT_SOURCE_DIR}/cmake/pack_ranks.cpp)
  target_include_directories(pack_ranks PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # A tool of the build: interprocedural optimisation and the like would only take time.
  target_compile_options(pack_ranks PRIVATE -fno-lto)

  set(classes ${PROJECT_SOURCE_DIR}/src/tokens/unicode_classes.txt)
  set(tables ${CMAKE_CURRENT_BINARY_DIR}/token_tables)
  file(MAKE_DIRECTORY ${tables})
  add_custom_command(
    OUTPUT ${tables}/tables.o
    BYPRODUCTS ${tables}/tables.s ${tables}/o200k_base.bin ${tables}/cl100k_base.bin
               ${tables}/character_classes.bin
    COMMAND pack_ranks ${TOOLGATE_RANKS} ${classes} ${tables}
    COMMAND ${CMAKE_CXX_COMPILER} -c ${tables}/tables.s -o ${tables}/tables.o
    DEPENDS pack_ranks ${classes} ${TOOLGATE_RANKS}/o200k_base.tiktoken
            ${TOOLGATE_RANKS}/cl100k_base.tiktoken
    COMMENT "token tables" VERBATIM)
  target_sources(${target} PRIVATE ${tables}/tables.o)
  set_source_files_properties(${tables}/tables.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()
