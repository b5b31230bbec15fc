// Owns the names under which the tool shows commands and their fields.
#include "client/cli/command_json.h"

#include <string_view>
#include <variant>
#include <vector>

#include "client/cli/json.h"
#include "common/math/vec3f.h"

namespace orrery::json {
namespace {

std::string of(const Vec3f& v) { return json::of(widen(v)); }
std::string of(BodyId id) { return json::of(id.value); }
std::string of(const char* name) { return json::of(std::string_view(name)); }

Object& add_name(const char* name, Object& object) { return object.add("command", of(name)); }

void add(const command::Thrust& c, Object& object) {
  add_name("thrust", object).add("body", of(c.body)).add("force", of(c.force));
}

void add(const command::Torque& c, Object& object) {
  add_name("torque", object).add("body", of(c.body)).add("torque", of(c.torque));
}

void add(const command::Impulse& c, Object& object) {
  add_name("impulse", object).add("body", of(c.body)).add("impulse", of(c.impulse));
}

void add(const command::Grab& c, Object& object) {
  add_name("grab", object).add("body", of(c.body)).add("at", of(c.at)).add("target", of(c.target));
}

void add(const command::Move& c, Object& object) {
  add_name("move", object).add("target", of(c.target));
}

void add(const command::Release&, Object& object) { add_name("release", object); }

void add(const command::Spawn& c, Object& object) {
  add_name("spawn", object)
      .add("like", json::of(c.prototype))
      .add("position", of(c.position))
      .add("velocity", of(c.velocity));
}

void add(const command::Remove& c, Object& object) {
  add_name("remove", object).add("body", of(c.body));
}

void add(const command::SetParameter& c, Object& object) {
  const bool gravity = c.parameter == Parameter::gravity;
  add_name("set_parameter", object)
      .add("parameter", of(gravity ? "gravity" : "gravitational_constant"))
      .add("value", of(c.value));
}

void add(const command::Join& c, Object& object) {
  constexpr const char* kRoles[] = {"watch", "play", "admin"};
  add_name("join", object)
      .add("joins", json::of(c.client.value))
      .add("role", of(kRoles[static_cast<std::size_t>(c.role)]));
}

void add(const command::Leave& c, Object& object) {
  add_name("leave", object).add("leaves", json::of(c.client.value));
}

}  // namespace

std::string of(const Command& command) {
  Object object;
  object.add("client", json::of(command.client.value))
      .add("sequence", json::of(command.sequence.value));
  std::visit([&](const auto& payload) { add(payload, object); }, command.payload);
  return object.text();
}

std::string of(std::span<const Command> commands) {
  std::vector<std::string> items;
  for (const Command& command : commands) items.push_back(json::of(command));
  return array(items);
}

}  // namespace orrery::json
