// Loads the scenes that people name or write.
#include "common/host/text/scene_file.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "common/codec/scene_codec.h"
#include "common/core/limits.h"
#include "common/host/disk/file.h"
#include "common/host/text/scene_json.h"
#include "common/host/text/scene_meaning.h"
#include "common/session/log_format.h"
#include "common/world/scenes/scenes.h"

namespace orrery::host {
namespace {

bool names_a_file(const std::string& spec) {
  const auto known = built_in_scenes();
  const std::string_view name = std::string_view(spec).substr(0, spec.find(':'));
  const bool built_in = std::any_of(known.begin(), known.end(),
                                    [&](const BuiltInScene& s) { return s.name == name; });
  return !built_in && spec.find_first_of("/.") != std::string::npos;
}

std::size_t bytes_max(bool binary) {
  return binary ? limits::kSceneBytesMax : limits::kSceneTextBytesMax;
}

std::string too_large(bool binary) {
  return "is too large; a scene has at most " + std::to_string(bytes_max(binary)) +
         (binary ? " bytes" : " bytes as JSON, or more in the binary form");
}

Result<std::vector<std::uint8_t>> read_scene_file(const std::string& path) {
  Result<std::unique_ptr<FileSource>> file = FileSource::open(path);
  if (!file) return file.error();
  std::vector<std::uint8_t> bytes;
  // The first bytes show the format of the file. Each format has its own size limit.
  constexpr std::size_t kHeadBytes = 64;
  Status status = file.value()->read_up_to(kHeadBytes, bytes);
  if (bytes.size() >= session::kLogMagic.size() &&
      std::equal(session::kLogMagic.begin(), session::kLogMagic.end(), bytes.begin())) {
    return Error{"is a session log, not a scene; orrery replay and orrery verify read it"}.in(path);
  }
  const bool binary = codec::looks_like_scene(bytes);
  const std::size_t most = bytes_max(binary);
  if (status) status = file.value()->read_up_to(most + 1, bytes);
  if (!status) return status.error();
  if (bytes.size() <= most) return bytes;
  return Error{too_large(binary)}.in(path);
}

}  // namespace

Result<Scene> scene_of_json(const std::string& text, Problem* warning) {
  if (text.size() > limits::kSceneTextBytesMax) return Error{too_large(false)};
  const Result<json::Document> document = json::Document::read(text);
  if (!document) return document.error();
  const Result<std::vector<std::uint8_t>> binary = binary_of_json(document.value());
  if (!binary) return binary.error();
  Result<Scene> scene = codec::decode_scene(binary.value());
  if (!scene) return located(document.value(), scene.error());
  const Status meant = check_intent(scene.value());
  if (!meant) return located(document.value(), meant.error());
  const Problem doubt = doubt_of(scene.value());
  if (warning && doubt) *warning = located(document.value(), *doubt);
  return scene;
}

Result<Scene> load_scene(const std::string& spec, Problem* warning) {
  if (!names_a_file(spec)) {
    Result<Scene> scene = built_in_scene(spec);
    return scene ? std::move(scene) : scene.error().in(spec);
  }
  const Result<std::vector<std::uint8_t>> bytes = read_scene_file(spec);
  if (!bytes) return bytes.error();
  const std::vector<std::uint8_t>& content = bytes.value();
  Result<Scene> scene = codec::looks_like_scene(content)
                            ? codec::decode_scene(content)
                            : scene_of_json(std::string(content.begin(), content.end()), warning);
  if (warning && *warning) *warning = (*warning)->in(spec);
  if (!scene) return scene.error().in(spec);
  if (scene.value().name.empty()) scene.value().name = "scene";
  return scene;
}

}  // namespace orrery::host
