// Moves through session logs, verifies them, and keeps their states.
#include <algorithm>

#include "client/api/log/log_handle.h"
#include "client/api/machine/machine.h"
#include "client/api/structs.h"
#include "common/core/float_environment.h"
#include "common/core/versions.h"
#include "common/world/image/image.h"

namespace orrery::api {
namespace {

// Most ticks that orrery_log_prepare() steps near one tick.
constexpr std::uint64_t kPreparedMax = 6000;

bool has_own_rules(const orrery_log& log) { return log.summary.header.rules == kRulesVersion; }

std::int32_t open_playback(orrery_log& log, session::WayBack way,
                           std::unique_ptr<session::Playback>& playback) {
  if (playback) return ORRERY_OK;
  auto opened = session::Playback::open(session::open_log(log.open_segment),
                                        session::OtherRules::by_checkpoints, log.kept, way);
  if (!opened) return fail(log, ORRERY_BAD_LOG, "the log %s", opened.error().text().c_str());
  playback = std::move(opened.value());
  return ORRERY_OK;
}

// Moves a playback towards a tick, by at most `ticks_max` ticks. 0: all of them. Returns true if it
// stepped as many.
Result<bool> approach(session::Playback& playback, Tick tick, std::uint32_t ticks_max) {
  SerialExecutor executor;
  std::uint32_t steps = 0;
  const Status moved = playback.go_to(
      tick, executor, [&] { ++steps; }, ticks_max > 0 ? ticks_max : ~std::uint64_t{0});
  return moved ? Result<bool>(ticks_max > 0 && steps >= ticks_max) : moved.error();
}

std::int32_t seek(orrery_log& log, Tick tick, std::uint32_t ticks_max) {
  log.kept->centre(tick);
  log.prepared = 0;
  const Result<bool> moved = approach(*log.playback, tick, ticks_max);
  log.view->indexed = false;
  if (!moved) {
    return fail(log, has_own_rules(log) ? ORRERY_DIVERGED : ORRERY_OTHER_RULES, "the log %s",
                moved.error().text().c_str());
  }
  const Tick reached = log.playback->world().tick();
  if (reached == tick) return ORRERY_OK;
  if (moved.value() && reached < tick) return ORRERY_MORE;
  return fail(log, ORRERY_NOT_FOUND, "the log has no tick %llu; the world now has tick %llu",
              static_cast<unsigned long long>(tick.value),
              static_cast<unsigned long long>(reached.value));
}

void keep(orrery_log& log, const World& world, const session::LogPosition& place) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  log.kept->add(place, image);
}

// Steps towards the next tick that needs a state, and keeps the state when it arrives.
std::int32_t prepare(orrery_log& log, std::uint32_t ticks_max) {
  if (!log.keeps_session || !has_own_rules(log) || log.prepared >= kPreparedMax) return ORRERY_END;
  const std::optional<Tick> tick = log.kept->missing(log.summary.tail.tick);
  if (!tick) return ORRERY_END;
  const std::int32_t code = open_playback(log, session::WayBack::forgotten, log.scout);
  if (code != ORRERY_OK) return code;
  const Result<bool> moved = approach(*log.scout, *tick, ticks_max);
  log.prepared += ticks_max;
  const bool arrived = moved && log.scout->world().tick() == *tick;
  if (arrived) keep(log, log.scout->world(), log.scout->place());
  const bool goes_on = moved && moved.value() && log.scout->world().tick() < *tick;
  return arrived || goes_on ? ORRERY_MORE : ORRERY_END;  // otherwise the state is unavailable
}

std::int32_t start_verification(orrery_log& log) {
  Result<session::OpenedLog> opened = session::open_log(log.open_segment);
  if (!opened) return fail(log, ORRERY_BAD_LOG, "the log %s", opened.error().text().c_str());
  Result<World> world = session::initial_world(opened.value().header);
  if (!world) {
    return fail(log, has_own_rules(log) ? ORRERY_BAD_LOG : ORRERY_OTHER_RULES, "the log %s",
                world.error().text().c_str());
  }
  log.verification =
      std::make_unique<LogVerification>(std::move(opened.value()), std::move(world.value()));
  if (!log.replayed) log.replayed = std::make_unique<orrery_world>(&log.verification->world);
  log.replayed->view(&log.verification->world);
  return ORRERY_OK;
}

// Verifies up to `ticks_max` ticks.
std::int32_t verify_ticks(orrery_log& log, std::uint32_t ticks_max) {
  LogVerification& v = *log.verification;
  SerialExecutor executor;
  const std::uint64_t last = v.verifier.found().ticks + ticks_max;
  while (!v.ended && v.verifier.found().ticks < last) {
    v.ended = !v.verifier.next(executor) || v.verifier.found().first_divergent_tick;
    if (v.ended || !log.keeps_session || !log.kept->wants(v.world.tick())) continue;
    keep(log, v.world, v.log.reader->place());
  }
  log.replayed->indexed = false;
  return v.ended ? ORRERY_END : ORRERY_OK;
}

orrery_verification describe(const session::Verification& found) {
  orrery_verification out{};
  out.diverged = found.first_divergent_tick ? 1 : 0;
  out.first_divergent_tick = found.first_divergent_tick.value_or(0);
  out.ticks = found.ticks;
  out.verified = found.verified;
  return out;
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_log_seek(orrery_log* log, uint64_t tick, uint32_t ticks_max, orrery_world** world) {
  if (world != nullptr) *world = nullptr;
  return guarded(log, [&](orrery_log& l) -> std::int32_t {
    if (world == nullptr) return fail(l, ORRERY_BAD_ARGUMENT, "the place for the world is null");
    if (!orrery::float_environment_is_sound()) return fail(l, ORRERY_FLOAT_MODE, "%s", kFloatMode);
    const std::int32_t code = open_playback(l, orrery::session::WayBack::kept, l.playback);
    if (code != ORRERY_OK) return code;
    if (!l.view) l.view = std::make_unique<orrery_world>(&l.playback->world());
    *world = l.view.get();
    return seek(l, orrery::Tick{tick}, ticks_max);
  });
}

int32_t orrery_log_keep(orrery_log* log, uint64_t bytes_max) {
  return guarded(log, [&](orrery_log& l) -> std::int32_t {
    const std::uint64_t most = std::min<std::uint64_t>(bytes_max, SIZE_MAX);
    *l.kept = orrery::session::KeptStates(static_cast<std::size_t>(most));
    l.keeps_session = true;
    return ORRERY_OK;
  });
}

int32_t orrery_log_prepare(orrery_log* log, uint32_t ticks_max) {
  return guarded(log, [&](orrery_log& l) -> std::int32_t {
    if (ticks_max == 0) return fail(l, ORRERY_BAD_ARGUMENT, "ticks_max is 0");
    if (!orrery::float_environment_is_sound()) return fail(l, ORRERY_FLOAT_MODE, "%s", kFloatMode);
    return prepare(l, ticks_max);
  });
}

int32_t orrery_log_verify(orrery_log* log, uint32_t ticks_max, uint32_t restart,
                          orrery_verification* verification, orrery_world** world) {
  if (world != nullptr) *world = nullptr;
  return guarded(log, [&](orrery_log& l) -> std::int32_t {
    std::int32_t code = check_struct(l, verification, "verification", false);
    if (code != ORRERY_OK) return code;
    if (!orrery::float_environment_is_sound()) return fail(l, ORRERY_FLOAT_MODE, "%s", kFloatMode);
    if (restart != 0 || !l.verification) code = start_verification(l);
    if (code != ORRERY_OK) return code;
    if (world != nullptr) *world = l.replayed.get();
    code = verify_ticks(l, ticks_max);
    write_struct(verification, describe(l.verification->verifier.found()));
    return code;
  });
}
