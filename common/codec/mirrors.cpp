// Checks at compile time that the enumerations of the schema have the same numbers as those of our
// own types.
//
// The codec converts between the two by number. Each function twin() maps one of our enumerators to
// the enumerator of the schema with the same meaning. The compiler warns if a switch leaves an
// enumerator out.
#include <type_traits>

#include "common/codec/event_codec.h"
#include "common/codec/message_codec.h"
#include "common/world/scenes/scene.h"
#include "schema/protocol_generated.h"
#include "schema/scene_generated.h"

namespace orrery::codec::mirrors {

constexpr wire::BodyKind twin(BodyKind kind) {
  switch (kind) {
    case BodyKind::rigid:
      return wire::BodyKind::rigid;
    case BodyKind::point:
      return wire::BodyKind::point;
    case BodyKind::anchor:
      return wire::BodyKind::anchor;
    case BodyKind::kinematic:
      return wire::BodyKind::kinematic;
  }
  return {};
}

constexpr wire::Control twin(Control control) {
  switch (control) {
    case Control::nobody:
      return wire::Control::nobody;
    case Control::anyone:
      return wire::Control::anyone;
    case Control::owner:
      return wire::Control::owner;
  }
  return {};
}

constexpr wire::Excess twin(Excess excess) {
  switch (excess) {
    case Excess::clamp:
      return wire::Excess::clamp;
    case Excess::refuse:
      return wire::Excess::refuse;
  }
  return {};
}

constexpr wire::ShapeKind twin(physics::ShapeKind kind) {
  switch (kind) {
    case physics::ShapeKind::sphere:
      return wire::ShapeKind::sphere;
    case physics::ShapeKind::capsule:
      return wire::ShapeKind::capsule;
    case physics::ShapeKind::box:
      return wire::ShapeKind::box;
    case physics::ShapeKind::hull:
      return wire::ShapeKind::hull;
    case physics::ShapeKind::plane:
      return wire::ShapeKind::plane;
    case physics::ShapeKind::height_field:
      return wire::ShapeKind::height_field;
    case physics::ShapeKind::mesh:
      return wire::ShapeKind::mesh;
  }
  return {};
}

constexpr wire::Role twin(Role role) {
  switch (role) {
    case Role::watch:
      return wire::Role::watch;
    case Role::play:
      return wire::Role::play;
    case Role::admin:
      return wire::Role::admin;
  }
  return {};
}

constexpr wire::Mode twin(message::Mode mode) {
  switch (mode) {
    case message::Mode::plain:
      return wire::Mode::plain;
    case message::Mode::follow:
      return wire::Mode::follow;
    case message::Mode::delta:
      return wire::Mode::delta;
  }
  return {};
}

constexpr wire::EventKind twin(EventKind kind) {
  switch (kind) {
    case EventKind::contact_end:
      return wire::EventKind::contact_end;
    case EventKind::sensor_end:
      return wire::EventKind::sensor_end;
    case EventKind::contact_begin:
      return wire::EventKind::contact_begin;
    case EventKind::sensor_begin:
      return wire::EventKind::sensor_begin;
    case EventKind::hit:
      return wire::EventKind::hit;
    case EventKind::joint_broke:
      return wire::EventKind::joint_broke;
    case EventKind::left_bounds:
      return wire::EventKind::left_bounds;
    case EventKind::fell_asleep:
      return wire::EventKind::fell_asleep;
    case EventKind::woke:
      return wire::EventKind::woke;
  }
  return {};
}

// Returns true if every value of the schema's enumeration has the same meaning in our enumeration.
template <class Ours>
constexpr bool same_numbers() {
  using Wire = decltype(twin(Ours{}));
  static_assert(std::is_same_v<std::underlying_type_t<Ours>, std::underlying_type_t<Wire>>);
  for (int i = 0; i <= static_cast<int>(Wire::MAX); ++i) {
    if (static_cast<int>(twin(static_cast<Ours>(i))) != i) return false;
  }
  return true;
}

static_assert(same_numbers<BodyKind>());
static_assert(same_numbers<Control>());
static_assert(same_numbers<Excess>());
// mirrors_test.cpp compares the names of the kinds.
static_assert(static_cast<int>(wire::JointKind::MAX) + 1 == physics::kJointKinds);
static_assert(same_numbers<physics::ShapeKind>());
static_assert(same_numbers<Role>());
static_assert(same_numbers<message::Mode>());
static_assert(same_numbers<EventKind>());

// Goodbyes have the same names and numbers in the schema.
#define ORRERY_SAME_NUMBER(id, words) \
  static_assert(static_cast<int>(EndReason::id) == static_cast<int>(wire::DisconnectReason::id));
ORRERY_GOODBYE_REASONS(ORRERY_SAME_NUMBER)
#undef ORRERY_SAME_NUMBER
static_assert(static_cast<std::size_t>(wire::DisconnectReason::MAX) + 1 == kGoodbyeReasons);

// A scene of rules 1 stores an integrator as its number. Later scenes store its name.
constexpr bool is_numbered(Integrator ours, wire::IntegratorOfRules1 theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(is_numbered(Integrator::semi_implicit_euler,
                          wire::IntegratorOfRules1::semi_implicit_euler));
static_assert(is_numbered(Integrator::velocity_verlet, wire::IntegratorOfRules1::velocity_verlet));
static_assert(is_numbered(Integrator::leapfrog_dkd, wire::IntegratorOfRules1::leapfrog_dkd));
static_assert(wire::IntegratorOfRules1::MAX == wire::IntegratorOfRules1::leapfrog_dkd);

}  // namespace orrery::codec::mirrors
