// The keys that a scene maps to commands.
#include "common/world/scenes/keys/keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/core/nearest.h"
#include "common/math/between.h"

namespace orrery {
namespace {

// The messages of key_problem() contain these numbers.
static_assert(limits::kLabelBytesMax == 24 && limits::kValueBytesMax == 256);
static_assert(limits::kForceMax == 1e24 && limits::kSpeedMax == 1e9);

constexpr std::array<std::string_view, 5> kNames = {"space", "up", "down", "left", "right"};

bool is_plain(const std::string& text, std::size_t size_max) {
  return text.size() <= size_max &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

bool is_key(const std::string& key) {
  if (std::find(kNames.begin(), kNames.end(), key) != kNames.end()) return true;
  return key.size() == 1 && key[0] > 0x20 && key[0] <= 0x7e && !(key[0] >= 'A' && key[0] <= 'Z');
}

constexpr bool is_push(KeyCommand command) {
  return command == KeyCommand::thrust || command == KeyCommand::torque ||
         command == KeyCommand::impulse;
}

constexpr bool is_drive(KeyCommand command) {
  return command == KeyCommand::set_motor || command == KeyCommand::set_target;
}

command::Value bytes_of(const std::string& text) {
  ORRERY_ASSERT(text.size() <= limits::kValueBytesMax);
  return command::Value(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

// Returns the place of the joint with the name in the list of joints, or their number.
std::uint32_t joint_named(const std::string& name, const Scene& scene) {
  ORRERY_ASSERT(!name.empty());
  const auto named = [&](const JointDef& joint) { return joint.name == name; };
  const auto found = std::find_if(scene.joints.begin(), scene.joints.end(), named);
  return static_cast<std::uint32_t>(found - scene.joints.begin());
}

Problem joint_problem(const KeyDef& key, const Scene& scene) {
  if (key.joint.empty()) return problem_at("joint", " must be the name of a joint");
  const auto named = [&](const JointDef& joint) { return joint.name == key.joint; };
  const auto count = std::count_if(scene.joints.begin(), scene.joints.end(), named);
  if (count == 1) return {};
  if (count > 1) {
    return Error::at("joint", ": " + std::to_string(count) + " joints are named \"" + key.joint +
                                  "\"; give one of them another name");
  }
  std::vector<std::string_view> names;
  for (const JointDef& joint : scene.joints) {
    if (!joint.name.empty()) names.push_back(joint.name);
  }
  return Error::at(
      "joint", ": there is no joint \"" + key.joint + "\"" +
                   (names.empty() ? "; give a joint this \"name\"" : suggestion(key.joint, names)));
}

Problem drive_problem(const KeyDef& key, const Scene& scene) {
  ORRERY_ASSERT(is_drive(key.command));
  if (Problem p = joint_problem(key, scene)) return p;
  const physics::JointTraits& traits =
      physics::traits_of(scene.joints[joint_named(key.joint, scene)].kind);
  if (!traits.moves) {
    return Error::at("joint", std::string(": a ") + traits.name + " leaves no motion free");
  }
  if (Problem p = between("speed", key.speed, -limits::kSpeedMax, limits::kSpeedMax, "-1e9 to 1e9"))
    return p;
  for (const double position : {key.position, key.position_released.value_or(key.position)}) {
    if (!within(position, traits.least, traits.most)) {
      return Error::at("position",
                       std::string(" and position_released must be from ") + traits.range);
    }
  }
  if (key.frequency != 0 && !within(key.frequency, 1e-6, 1e6))
    return problem_at("frequency", " must be 0, or from 1e-6 to 1e6");
  if (Problem p = between("damping_ratio", key.damping_ratio, 0, 1e6, "0 to 1e6")) return p;
  return between("max", key.max, 0, limits::kForceMax, "0 to 1e24");
}

Problem text_problem(const KeyDef& key) {
  ORRERY_ASSERT(key.command == KeyCommand::message);
  if (!is_plain(key.text, limits::kValueBytesMax) || key.text.empty() ||
      !is_plain(key.text_released, limits::kValueBytesMax)) {
    return problem_at("text",
                      " must be 1 to 256 printable ASCII characters, and text_released at most "
                      "256");
  }
  return {};
}

Problem push_problem(const KeyDef& key, const Scene& scene) {
  ORRERY_ASSERT(is_push(key.command));
  if (!within(key.vector, limits::kForceMax))
    return problem_at("vector", " must be finite, at most 1e24");
  if (!key.body || *key.body < scene.bodies.size()) return {};
  return Error::at("body", ": there is no body " + std::to_string(*key.body));
}

CommandPayload command_of(const KeyDef& key, const Scene& scene, const std::string& text,
                          double factor, double position) {
  ORRERY_ASSERT(factor == 0 || factor == 1);
  ORRERY_ASSERT(!is_drive(key.command) || joint_named(key.joint, scene) < scene.joints.size());
  const BodyId body{key.body.value_or(0)};
  const Vec3f vector = narrow(factor * key.vector);
  const auto number = [](double value) { return static_cast<float>(value); };
  switch (key.command) {
    case KeyCommand::message:
      return command::Message{bytes_of(text)};
    case KeyCommand::thrust:
      return command::Thrust{body, vector};
    case KeyCommand::torque:
      return command::Torque{body, vector};
    case KeyCommand::impulse:
      return command::Impulse{body, vector};
    case KeyCommand::set_motor:
      return command::SetMotor{joint_named(key.joint, scene), number(factor * key.speed),
                               number(key.max)};
    case KeyCommand::set_target:
      break;
  }
  return command::SetTarget{joint_named(key.joint, scene), number(position), number(key.frequency),
                            number(key.damping_ratio), number(key.max)};
}

}  // namespace

Problem key_problem(const KeyDef& key, const Scene& scene) {
  if (!is_key(key.key)) {
    return problem_at("key",
                      " must be a small letter, a digit, another visible ASCII character, space, "
                      "up, down, left or right");
  }
  if (!is_plain(key.label, limits::kLabelBytesMax))
    return problem_at("label", " must be at most 24 printable ASCII characters");
  if (is_push(key.command)) return push_problem(key, scene);
  return is_drive(key.command) ? drive_problem(key, scene) : text_problem(key);
}

Problem key_doubt(const KeyDef& key, const Scene& scene) {
  ORRERY_ASSERT(is_key(key.key));
  const auto only_with = [](const char* field, const char* commands) {
    return Error::at(field, std::string(" does nothing without \"command\": ") + commands);
  };
  const KeyDef usual;
  const bool has_text = !key.text.empty() || !key.text_released.empty();
  if (has_text && key.command != KeyCommand::message) return only_with("text", "\"message\"");
  const bool pushes = key.body || key.vector != Vec3{};
  if (pushes && !is_push(key.command))
    return only_with(key.body ? "body" : "vector", "\"thrust\", \"torque\" or \"impulse\"");
  if (is_push(key.command) && key.vector == Vec3{})
    return problem_at("vector", " is 0: the key does nothing");
  const bool drives = !key.joint.empty() || key.max != 0;
  if (drives && !is_drive(key.command))
    return only_with(key.max != 0 ? "max" : "joint", "\"set_motor\" or \"set_target\"");
  if (key.speed != 0 && key.command != KeyCommand::set_motor)
    return only_with("speed", "\"set_motor\"");
  const bool aims = key.position != 0 || key.position_released || key.frequency != 0 ||
                    key.damping_ratio != usual.damping_ratio;
  if (aims && key.command != KeyCommand::set_target)
    return only_with("position", "\"set_target\", as frequency and damping_ratio");
  if (!is_drive(key.command)) return {};
  if (key.command == KeyCommand::set_motor && key.max == 0)
    return problem_at("max", " must be above 0, the largest force or torque of the motor");
  if (key.command == KeyCommand::set_target && key.frequency == 0)
    return problem_at("frequency", " must be above 0: without it the joint has no target");
  if (scene.joints[joint_named(key.joint, scene)].control != Control::nobody) return {};
  return Error::at("joint", ": no player may drive \"" + key.joint +
                                "\"; give the joint \"control\": \"anyone\" or \"owner\"");
}

CommandPayload pressed_command(const KeyDef& key, const Scene& scene) {
  return command_of(key, scene, key.text, 1, key.position);
}

std::optional<CommandPayload> released_command(const KeyDef& key, const Scene& scene) {
  const bool none = key.command == KeyCommand::impulse ||
                    (key.command == KeyCommand::message && key.text_released.empty()) ||
                    (key.command == KeyCommand::set_target && !key.position_released);
  if (none) return {};
  return command_of(key, scene, key.text_released, 0, key.position_released.value_or(key.position));
}

}  // namespace orrery
