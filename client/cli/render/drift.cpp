// Measures how energy and momentum change over a session.
#include "client/cli/render/drift.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "client/cli/json.h"
#include "client/cli/render/unit.h"
#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"
#include "common/host/process/terminal.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/replay.h"

namespace orrery::cli {

Drift::Drift(const codec::LogHeader& header, World initial)
    : world_(std::move(initial)), first_{world_.tick(), conserved(world_)}, last_(first_) {
  ORRERY_ASSERT(world_.tick().value == 0);
  if (world_.hash() != header.initial_hash) unknown_ = "the initial state is not the recorded one";
}

void Drift::add(const World& world) {
  const Conserved& first = first_.kept;
  const Conserved now = conserved(world);
  last_ = {world.tick(), now};
  energy_ = std::max(energy_, std::abs(now.energy - first.energy));
  momentum_ = std::max(momentum_, length(now.momentum - first.momentum));
  angular_momentum_ =
      std::max(angular_momentum_, length(now.angular_momentum - first.angular_momentum));
}

void Drift::add(const session::Checkpoint& checkpoint, std::uint64_t hash) {
  const bool of_its_tick = checkpoint.after_gap || checkpoint.hash == hash;
  if (of_its_tick && session::restore_checkpoint(world_, checkpoint)) return add(world_);
  if (!unknown_.empty()) return;
  unknown_ = "the checkpoint of tick " + std::to_string(checkpoint.tick.value) +
             " holds another state than the hash of that tick says";
}

Status Drift::step_to(Tick last, const std::string& path) {
  if (last <= last_.tick) return ok_status();
  const Result<std::unique_ptr<session::Playback>> opened =
      session::Playback::open(session::open_log(host::segments_of(path)));
  if (!opened) return opened.error().in(path);
  session::Playback& playback = *opened.value();
  host::ProgressBar progress("log info " + printable(path, 40), last.value - last_.tick.value);
  std::uint64_t stepped = 0;
  SerialExecutor executor;
  const Status gone = playback.go_to(last, executor, [&] { progress.show(++stepped); });
  if (!gone && playback.tail().unreadable) return gone;
  if (gone && playback.world().tick() == last) {
    add(playback.world());
  } else if (unknown_.empty()) {
    unknown_ = gone ? "tick " + std::to_string(last.value) + " is lost" : gone.error().text();
  }
  return ok_status();
}

json::Text Drift::to_json(const At& at) {
  return json::object({{"tick", at.tick.value},
                       {"energy", at.kept.energy},
                       {"momentum", at.kept.momentum},
                       {"angular_momentum", at.kept.angular_momentum}});
}

json::Text Drift::json() const {
  return json::object({{"first", to_json(first_)},
                       {"last", to_json(last_)},
                       {"energy", energy_},
                       {"momentum", momentum_},
                       {"angular_momentum", angular_momentum_},
                       {"unknown", unknown_.empty() ? json::null() : json::of(unknown_)}});
}

void Drift::print() const {
  const auto quantity = [this](double value, const char* unit, const char* form) {
    char text[40];
    std::snprintf(text, sizeof text, form, value);
    return text + unit_in(world_.scene(), unit);
  };
  std::printf(
      "energy %s at tick %llu, %s at tick %llu; largest change: energy %s, momentum %s, angular "
      "momentum %s\n",
      quantity(first_.kept.energy, "J", "%.6g").c_str(),
      static_cast<unsigned long long>(first_.tick.value),
      quantity(last_.kept.energy, "J", "%.6g").c_str(),
      static_cast<unsigned long long>(last_.tick.value), quantity(energy_, "J", "%.3g").c_str(),
      quantity(momentum_, "kg m/s", "%.3g").c_str(),
      quantity(angular_momentum_, "kg m^2/s", "%.3g").c_str());
  if (!unknown_.empty()) std::printf("  incomplete: %s\n", unknown_.c_str());
}

}  // namespace orrery::cli
