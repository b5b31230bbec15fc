# Generates headers with facts about the build: the hash of the wire schema, the text of the scene
# schema, and the compiler flags. The root CMakeLists.txt includes this file.

# Both sides of a connection must have the same schema. They compare the first 16 digits of
# `cat schema/types.fbs schema/protocol.fbs | sha256sum`.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SCHEMAS})
file(READ schema/types.fbs TYPES_SCHEMA)
file(READ schema/protocol.fbs PROTOCOL_SCHEMA)
string(SHA256 PROTOCOL_HASH "${TYPES_SCHEMA}${PROTOCOL_SCHEMA}")
string(SUBSTRING ${PROTOCOL_HASH} 0 16 PROTOCOL_HASH)
file(CONFIGURE OUTPUT generated/schema/protocol_hash.h CONTENT
  "// The hash of the wire schema.\n#pragma once\n#include <cstdint>\nconstexpr std::uint64_t kProtocolSchemaHash = 0x${PROTOCOL_HASH};\n")

# The program contains the scene schema as text, and parses JSON scenes with it.
file(READ schema/scene.fbs SCENE_SCHEMA)
string(REPLACE "include \"types.fbs\";" "" SCENE_SCHEMA "${SCENE_SCHEMA}")
file(CONFIGURE OUTPUT generated/host/scene_schema.h CONTENT
  "// The text of the scene schema.\n#pragma once\nstatic const char kSceneSchema[] = R\"fbs(@TYPES_SCHEMA@@SCENE_SCHEMA@)fbs\";\n" @ONLY)

# The flags are a part of the name of this build in logs (build.cpp in this folder).
string(TOUPPER "${CMAKE_BUILD_TYPE}" BUILD_TYPE)
set(BUILD_FLAGS "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${BUILD_TYPE}} ${LIBRARY_FLAGS}")
if(ORRERY_SANITIZE)
  string(APPEND BUILD_FLAGS " -fsanitize=${ORRERY_SANITIZE}")
endif()
string(REGEX REPLACE "[^!-~]+" " " BUILD_FLAGS "${BUILD_FLAGS}")
string(STRIP "${BUILD_FLAGS}" BUILD_FLAGS)
string(LENGTH "${BUILD_FLAGS}" LENGTH)
if(LENGTH GREATER 120)  # the whole name of a build has at most 256 bytes in a log
  string(SHA256 BUILD_FLAGS "${BUILD_FLAGS}")
endif()
file(CONFIGURE OUTPUT generated/host/build_flags.h CONTENT
  "// The flags of this build.\nstatic const char kBuildFlags[] = R\"flags(@BUILD_FLAGS@)flags\";\n" @ONLY)
