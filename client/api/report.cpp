// Sums energy and momenta of a world, compares two worlds, and flips a bit of one.
#include <bit>
#include <optional>
#include <string>

#include "client/api/structs.h"
#include "client/api/world_handle.h"
#include "common/session/explain/fault.h"
#include "common/world/fault_injector.h"
#include "common/world/image/state_difference.h"
#include "common/world/report/conserved.h"

namespace orrery::api {
namespace {

orrery_totals describe(const orrery_world& w) {
  const Conserved sums = conserved(w.world());
  const Space& space = w.space;
  orrery_totals totals{};
  totals.in_si = is_in_si(w.world().scene()) ? 1 : 0;
  totals.energy = space.units * space.units * sums.energy;
  store(space.out(sums.momentum), totals.momentum);
  store(space.units * space.units * space.turn_out(sums.angular_momentum), totals.angular_momentum);
  return totals;
}

orrery_difference describe(const Space& space, const Separation& found) {
  orrery_difference difference{};
  difference.bodies = found.bodies;
  difference.distance = space.units * found.distance;
  if (!found.first) return difference;
  difference.a = found.first->a;
  difference.b = found.first->b;
  difference.body = found.first->body.value;
  copy_text(std::string(field_name(found.first->field)).c_str(), difference.field,
            sizeof difference.field);
  return difference;
}

// Flips a bit of a field. If no world can have the changed state, leaves the world as it was.
std::int32_t flip(orrery_world& w, BodyId body, BodyField field, std::uint32_t bit) {
  const double value = w.world().bodies().at(field, slot_of(body));
  const double flipped =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ std::uint64_t{1} << bit);
  FaultInjector injector(*w.own);
  injector.state().bodies.set(field, slot_of(body), flipped);
  const Status settled = injector.settle();
  w.indexed = false;
  if (settled) return ORRERY_OK;
  injector.state().bodies.set(field, slot_of(body), value);
  return fail(w, ORRERY_BAD_IMAGE, "%s", settled.error().text().c_str());
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_get_totals(orrery_world* world, orrery_totals* totals) {
  return give(world, totals, "totals", [](const orrery_world& w) { return describe(w); });
}

int32_t orrery_worlds_compare(orrery_world* a, orrery_world* b, orrery_difference* difference) {
  return guarded(a, [&](orrery_world& one) -> std::int32_t {
    return guarded(b, [&](orrery_world& other) -> std::int32_t {
      const std::int32_t code = check_struct(one, difference, "difference", false);
      if (code != ORRERY_OK) return code;
      write_struct(difference, describe(one.space, orrery::separation(one.world(), other.world())));
      return ORRERY_OK;
    });
  });
}

int32_t orrery_world_flip_bit(orrery_world* world, uint32_t id, const char* field, uint32_t bit) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    if (const std::int32_t code = check_own(w); code != ORRERY_OK) return code;
    if (field == nullptr) return fail(w, ORRERY_BAD_ARGUMENT, "field is null");
    const std::optional<orrery::BodyField> found = orrery::session::find_field(field);
    if (!found) return fail(w, ORRERY_BAD_ARGUMENT, "there is no such field of a body");
    if (bit > 63) return fail(w, ORRERY_BAD_ARGUMENT, "bit is %u; a number has bits 0 to 63", bit);
    const orrery::BodyId body{id};
    if (!contains(w.world(), body)) return fail(w, ORRERY_NOT_FOUND, "there is no body %u", id);
    return flip(w, body, *found, bit);
  });
}
