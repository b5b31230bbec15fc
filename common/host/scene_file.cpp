// Owns the reading of scenes that people write.
#include "common/host/scene_file.h"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "common/codec/scene_codec.h"
#include "common/core/limits.h"
#include "common/core/printable.h"
#include "common/host/file.h"
#include "common/host/json_line.h"
#include "common/session/log_format.h"
#include "common/world/scenes.h"
#include "host/scene_schema.h"

namespace orrery {
namespace {

bool names_a_file(const std::string& spec) {
  const auto known = built_in_scenes();
  const std::string_view name = std::string_view(spec).substr(0, spec.find(':'));
  const bool built_in = std::any_of(known.begin(), known.end(),
                                    [&](const BuiltInScene& s) { return s.name == name; });
  return !built_in && spec.find_first_of("/.") != std::string::npos;
}

// "12: 8: error: unknown field: gravty" of the parser -> "line 12: unknown field: gravty".
std::string parser_message(const std::string& error) {
  const std::size_t line_end = error.find(':');
  const std::string marker = "error: ";
  const std::size_t at = error.find(marker);
  if (line_end == std::string::npos || at == std::string::npos) return printable(error);
  std::string message = error.substr(at + marker.size());
  message = message.substr(0, message.find_first_of("\r\n"));
  return "line " + printable(error.substr(0, line_end)) + ": " + printable(message);
}

// The parser of FlatBuffers takes more than JSON: NaN and functions of numbers among it. What is
// not finite does not pass validate(), and a path of calls is no deeper than the parser allows
// (64).
Result<std::vector<std::uint8_t>> binary_of_json(const std::string& text) {
  flatbuffers::Parser parser;
  const bool schema_is_sound = parser.Parse(kSceneSchema);
  ORRERY_ASSERT(schema_is_sound);
  if (text.find('\0') != std::string::npos) return Error{"contains a zero byte; expected JSON"};
  if (!parser.ParseJson(text.c_str())) return Error{parser_message(parser.error_)};
  const std::uint8_t* const bytes = parser.builder_.GetBufferPointer();
  return std::vector<std::uint8_t>(bytes, bytes + parser.builder_.GetSize());
}

Result<std::vector<std::uint8_t>> read_scene_file(const std::string& path) {
  Result<std::unique_ptr<FileSource>> file = FileSource::open(path);
  if (!file) return file.error();
  std::vector<std::uint8_t> bytes;
  // The first bytes tell the two forms apart, and so how many there may be.
  constexpr std::size_t kHeadBytes = 64;
  Status status = file.value()->read_up_to(kHeadBytes, bytes);
  if (bytes.size() >= kLogMagic.size() &&
      std::equal(kLogMagic.begin(), kLogMagic.end(), bytes.begin())) {
    return Error{printable(path) +
                 ": is a session log, not a scene; orrery replay and orrery verify read it"};
  }
  const bool binary = looks_like_scene(bytes);
  const std::size_t most = binary ? limits::kSceneBytesMax : limits::kSceneTextBytesMax;
  if (status) status = file.value()->read_up_to(most + 1, bytes);
  if (!status) return status.error();
  if (bytes.size() <= most) return bytes;
  return Error{printable(path) + ": is too large; a scene has at most " + std::to_string(most) +
               (binary ? " bytes" : " bytes as JSON, or more in the binary form")};
}

Result<Scene> scene_of_bytes(const std::vector<std::uint8_t>& bytes) {
  if (looks_like_scene(bytes)) return decode_scene(bytes);
  const std::string text(bytes.begin(), bytes.end());
  Result<std::vector<std::uint8_t>> binary = binary_of_json(text);
  if (!binary) return binary.error();
  Result<Scene> scene = decode_scene(binary.value());
  if (scene) return scene;
  const std::string& message = scene.error().message;
  const std::optional<int> line = line_of_problem(text, message);
  return Error{line ? "line " + std::to_string(*line) + ": " + message : message};
}

}  // namespace

Result<Scene> load_scene(const std::string& spec) {
  const std::string about = printable(spec) + ": ";
  if (!names_a_file(spec)) {
    Result<Scene> scene = built_in_scene(spec);
    return scene ? std::move(scene) : Error{about + scene.error().message};
  }
  const Result<std::vector<std::uint8_t>> bytes = read_scene_file(spec);
  if (!bytes) return bytes.error();
  Result<Scene> scene = scene_of_bytes(bytes.value());
  if (!scene) return Error{about + scene.error().message};
  if (scene.value().name.empty()) scene.value().name = "scene";
  return scene;
}

}  // namespace orrery
