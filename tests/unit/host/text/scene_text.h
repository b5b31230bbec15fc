// Reads the JSON of scenes for tests, and shows errors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/host/text/json_reader.h"
#include "common/host/text/scene_json.h"

namespace orrery::test {

// Returns the bytes of a scene for decode_scene().
inline Result<std::vector<std::uint8_t>> binary_of(const std::string& text) {
  const Result<json::Document> document = json::Document::read(text);
  return document ? host::binary_of_json(document.value()) : document.error();
}

// Returns the line and the message of an error: "line 3: mass must be ...".
inline std::string line_and_message(const Error& error) {
  const std::string line = std::to_string(error.place.line);
  return error.place.line == 0 ? error.message : "line " + line + ": " + error.message;
}

}  // namespace orrery::test
