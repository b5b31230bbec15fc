# Looks up the commit of the source and writes it to HEADER, if HEADER would change. The commit is
# empty if the source is not the root of a git repository, or if there is no git.
cmake_minimum_required(VERSION 3.25)
set(commit "")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
    OUTPUT_VARIABLE folder RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND folder STREQUAL "")
    execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE}
      describe --always --exclude=* --abbrev=12 --dirty=-changed
      OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
string(REGEX MATCH "^[0-9a-f]+(-changed)?$" commit "${commit}")
file(CONFIGURE OUTPUT ${HEADER} CONTENT
  "// The commit of this build.\nstatic const char kBuildCommit[] = \"@commit@\";\n" @ONLY)
