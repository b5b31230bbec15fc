// Makes frames with rows: bodies with exact numbers, without those that a client has already.
#include "server/senders/rows.h"

#include <algorithm>

namespace orrery::server {

Rows::Seen Rows::look(std::uint32_t slot) const {
  const Bodies& bodies = world_.bodies();
  if (slot >= bodies.slots() || !bodies.alive(slot)) return {};
  return {.id = body_id(world_, slot),
          .present = true,
          .position = bodies.position(slot),
          .velocity = bodies.velocity(slot),
          .orientation = bodies.orientation(slot),
          .angular_velocity = bodies.angular_velocity(slot)};
}

void Rows::see_tick() {
  const Tick tick = world_.tick();
  if (!is_watching_ || (tick_ == tick && !seen_.empty())) return;
  tick_ = tick;
  const std::size_t slots = std::max<std::size_t>(seen_.size(), world_.bodies().slots());
  seen_.resize(slots);
  changed_.resize(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const Seen now = look(slot);
    if (now == seen_[slot]) continue;
    seen_[slot] = now;
    changed_[slot] = last_change_ = tick;
  }
}

Encoding& Rows::against(const Baselines::Frame& baseline) {
  see_tick();
  shared_.begin(world_.tick());
  Encoding* all = shared_.against(nullptr);
  if (all == nullptr) {
    all = shared_.next();
    all->rows.encode(world_);
    auto frame = std::make_shared<codec::CodedFrame>();
    frame->frame.tick = world_.tick();
    all->frame = std::move(frame);
    shared_.add();
  }
  Encoding* out = shared_.against(baseline);
  if (out == nullptr && (out = shared_.next()) != nullptr) {
    out->baseline = baseline;
    out->frame = all->frame;
    out->is_longer = !write_changed(baseline->frame.tick, out->rows);
    shared_.add();
  }
  return out == nullptr || out->is_longer ? *all : *out;
}

// Writes the bodies that changed after a tick. Returns false if all bodies have fewer parts.
bool Rows::write_changed(Tick since, codec::SnapshotEncoder& out) {
  const Bodies& bodies = world_.bodies();
  slots_.clear();
  for (std::uint32_t slot = 0; slot < seen_.size(); ++slot) {
    if (changed_[slot] > since && seen_[slot].present) slots_.push_back(slot);
  }
  alive_.clear();
  for (std::uint32_t tile = 0; tile < bodies.tiles(); ++tile) {
    alive_.push_back(bodies.alive_mask(tile));
  }
  out.encode(world_, {.slots = slots_,
                      .presence = alive_,
                      .first_presence_part = 0,
                      .parts_min = std::max<std::size_t>(1, codec::presence_parts(alive_.size()))});
  return out.parts() < shared_.against(nullptr)->parts();
}

Encoding& Rows::selection(const codec::SnapshotSelection& selection) {
  own_.rows.encode(world_, selection);
  return own_;
}

}  // namespace orrery::server
