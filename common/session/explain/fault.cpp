// Breaks determinism on purpose: parses faults and applies them to a world.
#include "common/session/explain/fault.h"

#include <charconv>

#include "common/codec/log_codec.h"
#include "common/core/printable.h"
#include "common/math/ulps.h"
#include "common/world/fault_injector.h"
#include "common/world/step.h"

namespace orrery::session {
namespace {

constexpr const char* kForms = " is none of ulp@TICK:BODY.FIELD, swap@TICK:BODY,BODY and skip@TICK";

// --- Text ---

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

template <class Integer>
bool take_number(std::string_view& text, Integer& number) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  return true;
}

std::string list_of_fields() {
  std::string list;
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    list.append(f == 0 ? "" : ", ").append(physics::field_name(static_cast<physics::BodyField>(f)));
  }
  return list;
}

// --- Change of a state ---

Status add_ulp(World& world, const Fault& fault) {
  ORRERY_ASSERT(fault.kind == Fault::Kind::ulp);
  const std::uint32_t slot = slot_of(fault.a);
  const double value = world.bodies().at(fault.field, slot);
  FaultInjector injector(world);
  injector.state().bodies.set(fault.field, slot, next_above(value));
  if (injector.settle()) return ok_status();
  injector.state().bodies.set(fault.field, slot, value);
  return Error{"no valid world has another " + std::string(physics::field_name(fault.field)) +
               " of body " + std::to_string(fault.a.value) + "; choose a body that moves"};
}

Status swap_bodies(World& world, const Fault& fault) {
  ORRERY_ASSERT(fault.kind == Fault::Kind::swap && fault.a != fault.b);
  FaultInjector injector(world);
  injector.exchange(slot_of(fault.a), slot_of(fault.b));
  if (injector.settle()) return ok_status();
  injector.exchange(slot_of(fault.a), slot_of(fault.b));
  return Error{"no valid world has bodies " + std::to_string(fault.a.value) + " and " +
               std::to_string(fault.b.value) + " exchanged; choose two of one kind"};
}

Status break_state(World& world, const Fault& fault) {
  ORRERY_ASSERT(world.tick() == fault.tick && fault.kind != Fault::Kind::skip);
  for (const BodyId body : {fault.a, fault.b}) {
    const bool named = body == fault.a || fault.kind == Fault::Kind::swap;
    if (!named || contains(world, body)) continue;
    return Error{"there is no body " + std::to_string(body.value) + " at tick " +
                 std::to_string(fault.tick.value)};
  }
  return fault.kind == Fault::Kind::ulp ? add_ulp(world, fault) : swap_bodies(world, fault);
}

}  // namespace

std::optional<physics::BodyField> find_field(std::string_view name) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    if (physics::field_name(field) == name) return field;
  }
  return {};
}

Result<Fault> parse_fault(std::string_view text) {
  const Error bad{printable(text, codec::kFaultBytesMax) + kForms};
  if (text.size() > codec::kFaultBytesMax) return bad;
  Fault fault;
  if (take(text, "ulp@")) {
    fault.kind = Fault::Kind::ulp;
  } else if (take(text, "swap@")) {
    fault.kind = Fault::Kind::swap;
  } else if (take(text, "skip@")) {
    fault.kind = Fault::Kind::skip;
  } else {
    return bad;
  }
  if (!take_number(text, fault.tick.value)) return bad;
  if (fault.tick.value == 0)
    return Error{"tick 0 is the state of the scene; the first tick that can be broken is 1"};
  if (fault.kind == Fault::Kind::skip) return text.empty() ? Result<Fault>(fault) : bad;
  if (!take(text, ":") || !take_number(text, fault.a.value)) return bad;
  if (fault.kind == Fault::Kind::swap) {
    if (!take(text, ",") || !take_number(text, fault.b.value) || !text.empty()) return bad;
    if (fault.a == fault.b) return Error{"a body cannot be swapped with itself"};
    return fault;
  }
  if (!take(text, ".")) return bad;
  const std::optional<physics::BodyField> field = find_field(text);
  if (!field)
    return Error{printable(text) + " is not a field; the fields are: " + list_of_fields()};
  fault.field = *field;
  return fault;
}

std::string to_text(const Fault& fault) {
  const std::string at = '@' + std::to_string(fault.tick.value);
  const std::string body = ':' + std::to_string(fault.a.value);
  switch (fault.kind) {
    case Fault::Kind::ulp:
      return "ulp" + at + body + '.' + std::string(physics::field_name(fault.field));
    case Fault::Kind::swap:
      return "swap" + at + body + ',' + std::to_string(fault.b.value);
    case Fault::Kind::skip:
      return "skip" + at;
  }
  return {};
}

Status step_with_fault(World& world, std::span<const Command> commands,
                       const std::optional<Fault>& fault, Executor& executor) {
  ORRERY_ASSERT(!fault || fault->tick.value > 0);
  const bool breaks = fault && fault->tick.value == world.tick().value + 1;
  const bool skips = breaks && fault->kind == Fault::Kind::skip;
  step(world, skips ? std::span<const Command>() : commands, executor);
  if (skips && commands.empty()) {
    return Error{"tick " + std::to_string(fault->tick.value) + " has no commands to ignore"};
  }
  return breaks && !skips ? break_state(world, *fault) : ok_status();
}

}  // namespace orrery::session
