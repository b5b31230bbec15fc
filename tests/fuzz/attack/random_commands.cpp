// Generates random commands for any scene: valid, invalid and extreme ones.
#include "tests/fuzz/attack/random_commands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "common/codec/command_codec.h"
#include "common/core/limits.h"

namespace orrery::attack {
namespace {

// The admin that replaces bodies. The other generators do not use this id.
constexpr ClientId kReplacer{9};

// Applies `change` to every vector of a command.
template <class Change>
void change_vectors(CommandPayload& payload, Change change) {
  std::visit(
      [&](auto& c) {
        const auto change_vector = [&](auto& field) {
          if constexpr (std::is_same_v<decltype(field), Vec3f&>) change(field);
        };
        if constexpr (requires { c.force; }) change_vector(c.force);
        if constexpr (requires { c.torque; }) change_vector(c.torque);
        if constexpr (requires { c.impulse; }) change_vector(c.impulse);
        if constexpr (requires { c.at; }) change_vector(c.at);
        if constexpr (requires { c.target; }) change_vector(c.target);
        if constexpr (requires { c.position; }) change_vector(c.position);
        if constexpr (requires { c.velocity; }) change_vector(c.velocity);
        if constexpr (requires { c.angular_velocity; }) change_vector(c.angular_velocity);
        if constexpr (requires { c.value; }) change_vector(c.value);
      },
      payload);
}

}  // namespace

std::vector<Command> WildCommands::next(const World& world) {
  std::vector<Command> commands;
  const auto add = [&](std::span<const Command> more) {
    commands.insert(commands.end(), more.begin(), more.end());
  };
  if (replaces_) replace_bodies(world, commands);
  if (quiet_ && draw_.below(32) != 0) {
    number(commands);
    return commands;
  }
  add(confused_.next(world));
  add(room_.next(world));
  if (draw_.below(30) == 0) {
    for (int i = 0; i < 40; ++i) add(confused_.next(world));
  }
  if (draw_.below(8) == 0) {
    commands.push_back({ClientId{1 + draw_.below(8)}, Sequence{}, parameter()});
  }
  add_ownership(world, commands);
  add_driving(world, commands);
  add_changes(world, commands);
  add_texts(commands);
  for (Command& command : commands) {
    if (draw_.below(8) == 0) exaggerate(command);
  }
  add_kicks(world, commands);
  number(commands);
  return commands;
}

// Adds changes of the control and owner of a body, and ends of ownership.
void WildCommands::add_ownership(const World& world, std::vector<Command>& commands) {
  if (draw_.below(4) != 0) return;
  const std::uint64_t owner = draw_.below(8) == 0 ? ~std::uint64_t{0} : 1 + draw_.below(4);
  const std::uint32_t slot = draw_.below(world.bodies().slots());
  const BodyId body = world.bodies().alive(slot) ? body_id(world, slot) : BodyId{slot};
  const auto control = static_cast<Control>(draw_.below(3));
  const ClientId giver{1 + draw_.below(8)};
  commands.push_back({giver, Sequence{}, command::SetControl{body, control, owner}});
  if (draw_.below(4) == 0) commands.push_back({kServer, Sequence{}, command::Disown{owner}});
}

// Adds values, messages and tells. Few keys, so that values change and end.
void WildCommands::add_texts(std::vector<Command>& commands) {
  if (draw_.below(4) != 0) return;
  const auto text = [&] {
    std::vector<std::uint8_t> bytes(draw_.below(8) == 0 ? limits::kValueBytesMax : draw_.below(9));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draw_.below(256));
    return command::Value(bytes);
  };
  const std::array<std::uint8_t, 1> key = {static_cast<std::uint8_t>(draw_.below(6))};
  const ClientId giver{draw_.below(9)};
  commands.push_back({giver, Sequence{}, command::SetValue{command::Key(key), text()}});
  const command::Value said = text();
  if (said.empty()) return;
  commands.push_back({giver, Sequence{}, command::Message{said}});
  commands.push_back({giver, Sequence{}, command::Tell{ClientId{draw_.below(6)}, said}});
}

// Adds kicks and bans. They change no state, so the clients stay joined. Has a generator of its own
// in each tick, so that the other commands of a seed stay as they are.
void WildCommands::add_kicks(const World& world, std::vector<Command>& commands) {
  SplitMix64 draw(world.tick().value);
  if (draw.below(6) != 0) return;
  const std::vector<std::uint8_t> bytes(draw.below(command::Reason::kBytesMax + 1), 'x');
  const ClientId giver{draw.below(9)};
  const ClientId client{1 + draw.below(9)};
  commands.push_back({giver, Sequence{}, command::Kick{client, command::Reason(bytes)}});
  commands.push_back({giver, Sequence{}, command::Ban{client, command::Reason(bytes)}});
}

// Adds commands that drive kinematic bodies and joints, and that place bodies.
void WildCommands::add_driving(const World& world, std::vector<Command>& commands) {
  if (draw_.below(4) != 0) return;
  const auto number = [&] { return static_cast<float>(draw_.symmetric()); };
  const auto vector = [&](float size) {
    const float x = number(), y = number();
    return Vec3f{size * x, size * y, size * number()};
  };
  const std::uint32_t slot = draw_.below(world.bodies().slots());
  const BodyId body = world.bodies().alive(slot) ? body_id(world, slot) : BodyId{slot};
  const Vec3f near = narrow(world.bodies().position(slot) + widen(vector(2)));
  const Quatf turn = draw_.below(2) == 0 ? Quatf{} : Quatf{0.6f, 0, 0, 0.8f};
  const auto joints = static_cast<std::uint32_t>(world.scene().joints.size());
  const std::uint32_t joint = draw_.below(8) % std::max(1u, joints);
  const auto drive = [&]() -> CommandPayload {
    switch (draw_.below(5)) {
      case 0:
        return command::SetVelocity{body, vector(3), vector(3)};
      case 1:
        return command::MoveTo{body, near, turn, 1 + draw_.below(40)};
      case 2:
        return command::Place{body, near, turn, vector(3), vector(3)};
      case 3:
        return command::SetMotor{joint, 10 * number(), draw_.below(3) == 0 ? 0.0f : 1e3f};
      default:
        return command::SetTarget{joint, std::abs(number()), draw_.below(3) == 0 ? 0.0f : 4.0f,
                                  0.5f, draw_.below(2) == 0 ? 0.0f : 50.0f};
    }
  };
  ClientId giver{draw_.below(9)};
  if (giver.value % 2 == 0 && find_client(world.controls(), kReplacer)) giver = kReplacer;
  const Command command{giver, Sequence{}, drive()};
  if (codec::is_in_range(command)) commands.push_back(command);
}

// Adds changes of filters and of the factor of gravity.
void WildCommands::add_changes(const World& world, std::vector<Command>& commands) {
  if (later_.below(6) != 0) return;
  const std::uint32_t slot = later_.below(world.bodies().slots());
  const BodyId body = world.bodies().alive(slot) ? body_id(world, slot) : BodyId{slot};
  const ClientId giver{later_.below(9)};
  const auto scale = static_cast<float>(2 * later_.symmetric());
  const std::uint32_t mask = later_.below(2) == 0 ? ~0u : later_.below(4);
  if (later_.below(2) == 0)
    commands.push_back({giver, Sequence{}, command::SetGravityScale{body, scale}});
  if (later_.below(2) == 0)
    commands.push_back({giver, Sequence{}, command::SetFilter{body, 1 + later_.below(3), mask}});
}

void WildCommands::replace_bodies(const World& world, std::vector<Command>& commands) {
  if (!find_client(world.controls(), kReplacer)) {
    commands.push_back({kServer, Sequence{}, command::Join{kReplacer, Role::admin}});
  }
  for (std::uint32_t i = 1 + draw_.below(3); i > 0; --i) {
    const std::uint32_t slot = draw_.below(world.bodies().slots());
    if (!world.bodies().alive(slot)) continue;
    // All bodies wake when another kind of body is replaced.
    const bool wakes_all = !is_dynamic(prototype_of(world, slot).kind);
    if (!wakes_all || draw_.below(8) == 0) replace_body(world, slot, commands);
  }
}

// Removes the body in a slot and spawns another one, often at its place and at rest. The new body
// takes the slot unless a lower one is free. Sometimes acts on the new body, or replaces it too.
void WildCommands::replace_body(const World& world, std::uint32_t slot,
                                std::vector<Command>& commands) {
  const auto prototypes = static_cast<std::uint32_t>(world.scene().bodies.size());
  const auto give = [&](const CommandPayload& payload) {
    const Command command{kReplacer, Sequence{}, payload};
    if (codec::is_in_range(command)) commands.push_back(command);
  };
  BodyId body = body_id(world, slot);
  do {
    constexpr Vec3f kBeside[] = {{}, {}, {0, 2, 0}, {40, 0, 0}};
    const Vec3f beside = kBeside[draw_.below(4)];
    const Vec3f speed{0, draw_.below(3) == 0 ? 1.0f : 0.0f, 0};
    give(command::Remove{body});
    std::uint32_t like = draw_.below(prototypes);
    if (!is_dynamic(world.scene().bodies[like].kind)) like = draw_.below(prototypes);
    command::Spawn spawn{like, narrow(world.bodies().position(slot) + widen(beside)), speed};
    if (later_.below(4) == 0) spawn.orientation = {0, 0.6f, 0, 0.8f};
    if (later_.below(4) == 0) spawn.angular_velocity = {0, later_.below(3) == 0 ? 500.0f : 1.0f, 0};
    give(spawn);
    body = make_body_id(slot, generation_of(body) + 1);
  } while (draw_.below(4) == 0);
  if (draw_.below(4) == 0) give(command::Impulse{body, {0, 1, 0}});
  if (draw_.below(8) == 0) give(command::Thrust{body, {0, 1, 0}});
  if (draw_.below(8) == 0) give(command::Grab{body, {}, {0, 1, 0}});
}

CommandPayload WildCommands::parameter() {
  command::SetParameter set;
  set.parameter = static_cast<Parameter>(draw_.below(kParameters));
  set.value.x = draw_.below(2) == 0 ? 0 : static_cast<float>(draw_.below(1000)) * 1e-4f;
  return set;
}

// Multiplies all vectors of the command by one factor, unless the result is out of range.
void WildCommands::exaggerate(Command& command) {
  constexpr float kFactors[] = {0, -1, 1e-38f, 1e-6f, 1e3f, 1e8f, 1e11f, 1e23f};
  const float factor = kFactors[draw_.below(8)];
  Command changed = command;
  change_vectors(changed.payload, [&](Vec3f& v) {
    v = {factor * v.x, factor * v.y, factor * v.z};
  });
  if (codec::is_in_range(changed)) command = changed;
}

// Sorts the commands by client and numbers those of each client.
void WildCommands::number(std::vector<Command>& commands) {
  std::stable_sort(commands.begin(), commands.end(),
                   [](const Command& a, const Command& b) { return a.client < b.client; });
  for (Command& command : commands) {
    command.sequence = Sequence{++sequences_[command.client.value]};
  }
  ORRERY_ASSERT(commands.size() <= limits::kCommandsPerTickMax);
}

}  // namespace orrery::attack
