// Ends the ownership of spawned bodies if their players stay away for too long.
#include "server/absences.h"

#include <algorithm>
#include <variant>

#include "common/core/assert.h"
#include "common/core/limits.h"

namespace orrery::server {
namespace {

// Returns true if the command may change which accounts are absent.
bool matters(const Command& command) {
  return std::holds_alternative<command::Join>(command.payload) ||
         std::holds_alternative<command::Leave>(command.payload) ||
         std::holds_alternative<command::SetControl>(command.payload) ||
         std::holds_alternative<command::Disown>(command.payload);
}

// Returns the accounts of the joined clients, ascending.
std::vector<std::uint64_t> present(const Controls& controls) {
  std::vector<std::uint64_t> accounts;
  for (const Client& client : controls.clients) accounts.push_back(owner_number(client));
  std::sort(accounts.begin(), accounts.end());
  return accounts;
}

}  // namespace

Absences::Absences(const World& world)
    : ticks_max_(static_cast<std::uint64_t>(world.scene().absence_max * world.scene().tick_rate)) {
  refresh(world);
}

void Absences::observe(const World& world) {
  const auto& applied = world.applied();
  if (std::any_of(applied.begin(), applied.end(), matters)) refresh(world);
}

void Absences::refresh(const World& world) {
  const Controls& controls = world.controls();
  const std::vector<std::uint64_t> here = present(controls);
  std::swap(absent_, before_);
  absent_.clear();
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    const std::uint64_t owner = controls.owners[slot];
    if (owner == 0) continue;  // a body of nobody, or an empty slot
    const std::uint64_t later = world.scene().bodies[controls.prototypes[slot]].owner;
    if (owner == later || !is_spawned(world, slot)) continue;
    if (!std::binary_search(here.begin(), here.end(), owner)) absent_.push_back({owner, {}});
  }
  const auto by_account = [](const Absence& a, const Absence& b) { return a.account < b.account; };
  const auto same = [](const Absence& a, const Absence& b) { return a.account == b.account; };
  std::sort(absent_.begin(), absent_.end(), by_account);
  absent_.erase(std::unique(absent_.begin(), absent_.end(), same), absent_.end());
  for (Absence& a : absent_) {
    const auto old = std::lower_bound(before_.begin(), before_.end(), a, by_account);
    const bool known = old != before_.end() && old->account == a.account;
    a.since = known ? old->since : world.tick();
  }
}

std::span<const std::uint64_t> Absences::over(Tick next) {
  over_.clear();
  for (const Absence& a : absent_) {
    ORRERY_ASSERT(a.since < next);
    if (next.value - a.since.value <= ticks_max_) continue;
    over_.push_back(a.account);
    if (over_.size() == kDisownedPerTickMax) break;
  }
  return over_;
}

}  // namespace orrery::server
