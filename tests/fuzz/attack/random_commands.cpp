// Generates random commands for any scene: valid, invalid and extreme ones.
#include "tests/fuzz/attack/random_commands.h"

#include <algorithm>
#include <variant>

#include "common/codec/command_codec.h"

namespace orrery::attack {
namespace {

// The admin that replaces bodies. The other generators do not use this id.
constexpr ClientId kReplacer{9};

// Applies `change` to every vector of a command.
template <class Change>
void change_vectors(CommandPayload& payload, Change change) {
  std::visit(
      [&](auto& c) {
        if constexpr (requires { c.force; }) change(c.force);
        if constexpr (requires { c.torque; }) change(c.torque);
        if constexpr (requires { c.impulse; }) change(c.impulse);
        if constexpr (requires { c.at; }) change(c.at);
        if constexpr (requires { c.target; }) change(c.target);
        if constexpr (requires { c.position; }) change(c.position);
        if constexpr (requires { c.velocity; }) change(c.velocity);
        if constexpr (requires { c.value; }) change(c.value);
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
  for (Command& command : commands) {
    if (draw_.below(8) == 0) exaggerate(command);
  }
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
    give(command::Spawn{like, narrow(world.bodies().position(slot) + widen(beside)), speed});
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
