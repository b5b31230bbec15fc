// Which bodies came, left or changed.
#include "common/codec/delta/change_coder.h"

#include <algorithm>

#include "common/codec/delta/entropy/symbols.h"

namespace orrery::codec {
namespace {

constexpr std::uint32_t kBlock = 32;  // slots that one flag covers while nothing in them wakes
static_assert(kBlock <= 32);          // bits of a mask

bool is_in_range(const std::array<std::int32_t, 3>& position) {
  return std::all_of(position.begin(), position.end(), [](std::int32_t x) {
    return x >= -kGridPositionMax && x <= kGridPositionMax;
  });
}

// Finds the nearest reference of a body.
void find_reference(const CodedFrame& baseline, const std::vector<Reference>& references,
                    ChangedBody& body) {
  const Vec3 at = vector_of(baseline.frame.bodies[body.slot].position);
  for (std::uint32_t i = 0; i < references.size(); ++i) {
    const Reference& reference = references[i];
    const double distance = reference.slot == body.slot ? -1 : square_of(at - reference.from);
    if (body.reference != ChangedBody::kNone && distance >= body.distance) continue;
    body.reference = i;
    body.distance = distance;
  }
}

// Sorts the changed bodies by their distance to the nearest reference.
void order_by_references(const CodedFrame& baseline, FrameScratch& scratch) {
  for (ChangedBody& body : scratch.changed) find_reference(baseline, scratch.references, body);
  std::sort(scratch.changed.begin(), scratch.changed.end(),
            [](const ChangedBody& a, const ChangedBody& b) {
              return a.distance != b.distance ? a.distance < b.distance : a.slot < b.slot;
            });
}

template <class Coder>
class ChangeCoder {
 public:
  ChangeCoder(const FrameTask& task, Coder& coder)
      : coder_(coder),
        level_(task.level),
        scene_(task.scene),
        baseline_(task.baseline),
        coded_(task.coded),
        scratch_(task.scratch) {
    ORRERY_ASSERT(coded_.frame.bodies.size() == scene_.slots);
    ORRERY_ASSERT(baseline_.frame.bodies.empty() || baseline_.frame.bodies.size() == scene_.slots);
    ORRERY_ASSERT(baseline_.motions.size() <= baseline_.frame.bodies.size());
    ORRERY_ASSERT(baseline_.references.size() <= kReferencesMax);
    scratch_.arrivals.clear();
    scratch_.different.clear();
    scratch_.changed.clear();
    scratch_.references.clear();
  }

  bool run() {
    if constexpr (kEncodes<Coder>) find_differences();
    if (!code_arrivals() || !code_references()) return false;
    code_blocks();
    if (level_ == DeltaLevel::cheap) return true;
    order_by_references(baseline_, scratch_);
    return true;
  }

 private:
  // Returns true if both frames have the body of this slot.
  bool is_kept(std::uint32_t slot) const {
    if (slot >= baseline_.frame.bodies.size()) return false;
    const QuantisedBody& before = baseline_.frame.bodies[slot];
    const QuantisedBody& after = coded_.frame.bodies[slot];
    return before.present && after.present && before.id == after.id &&
           before.prototype == after.prototype;
  }

  void find_differences() {
    const auto known = static_cast<std::uint32_t>(baseline_.frame.bodies.size());
    for (std::uint32_t slot = 0; slot < scene_.slots; ++slot) {
      const QuantisedBody& after = coded_.frame.bodies[slot];
      const bool is_equal =
          slot < known ? after == baseline_.frame.bodies[slot] : after == QuantisedBody{};
      if (is_equal) continue;
      (is_kept(slot) ? scratch_.different : scratch_.arrivals).push_back(slot);
    }
  }

  // --- bodies that came or left ---

  bool code_arrivals() {
    bool any = !scratch_.arrivals.empty();
    code_bit(coder_, rare_, any);
    if (!any) return true;
    auto count = static_cast<std::uint32_t>(scratch_.arrivals.size());
    code_number(coder_, count);
    if (count > scene_.slots) return false;
    scratch_.arrivals.resize(count);
    std::uint32_t next = 0;
    QuantisedBody last;
    last.prototype = 0xFFFFFFFF;  // so that the first scene body has a difference of 0
    for (std::uint32_t& slot : scratch_.arrivals) {
      code_difference(coder_, next, slot);
      if (slot < next || slot >= scene_.slots || !code_arrival(slot, last)) return false;
      if (is_kept(slot)) return false;  // else its change could be coded twice
      next = slot + 1;
    }
    return true;
  }

  // Codes a body by its difference to the last one that came.
  bool code_arrival(std::uint32_t slot, QuantisedBody& last) {
    QuantisedBody& body = coded_.frame.bodies[slot];
    code_bit(coder_, comes_, body.present);
    if (!body.present) {
      body = {};
      return true;
    }
    std::uint32_t generation = generation_of(body.id);
    code_number(coder_, generation);
    if (generation >= limits::kGenerationsMax) return false;
    body.id = make_body_id(slot, generation);
    // Consecutive bodies of a scene have consecutive prototypes.
    code_difference(coder_, last.prototype + 1, body.prototype);
    if (body.prototype >= scene_.prototypes) return false;
    bool has_size = body.size != last.size;
    code_bit(coder_, resized_, has_size);
    std::uint32_t size = has_size ? body.size : last.size;
    if (has_size) code_raw(coder_, 16, size);
    body.size = static_cast<std::uint16_t>(size);
    for (std::size_t i = 0; i < 3; ++i) {
      auto position = static_cast<std::uint32_t>(body.position[i]);
      code_difference(coder_, static_cast<std::uint32_t>(last.position[i]), position);
      body.position[i] = static_cast<std::int32_t>(position);
    }
    std::uint32_t largest = body.largest;
    code_raw(coder_, 2, largest);
    body.largest = static_cast<std::uint8_t>(largest);
    for (std::uint16_t& component : body.orientation) {
      std::uint32_t value = component;
      code_raw(coder_, scene_.grid.orientation_bits, value);
      component = static_cast<std::uint16_t>(value);
    }
    code_bit(coder_, active_, body.active);
    last = body;
    return is_in_range(body.position);
  }

  // --- references ---

  bool code_references() {
    std::vector<std::uint32_t>& slots = coded_.references;
    bool differs = slots != baseline_.references;
    code_bit(coder_, rare_, differs);
    if (differs) {
      auto count = static_cast<std::uint32_t>(slots.size());
      code_number(coder_, count);
      if (count > kReferencesMax) return false;
      slots.resize(count);
      for (std::uint32_t& slot : slots) code_number(coder_, slot);
    } else {
      slots = baseline_.references;
    }
    for (const std::uint32_t slot : slots) {
      if (slot >= scene_.slots) return false;
      if (!is_kept(slot)) continue;
      const Vec3 at = vector_of(baseline_.frame.bodies[slot].position);
      scratch_.references.push_back(
          {.slot = slot, .from = at, .to = at, .rotation = {}, .turn = {}});
    }
    return true;
  }

  // --- bodies that changed ---

  void code_blocks() {
    const std::vector<BodyMotion>& motions = baseline_.motions;
    const auto slots = static_cast<std::uint32_t>(baseline_.frame.bodies.size());
    std::size_t motion = 0;
    std::size_t different = 0;
    for (std::uint32_t begin = 0; begin < slots; begin += kBlock) {
      const std::uint32_t end = std::min(begin + kBlock, slots);
      std::array<const BodyMotion*, kBlock> before{};
      const bool has_moved = motion < motions.size() && motions[motion].slot < end;
      for (; motion < motions.size() && motions[motion].slot < end; ++motion) {
        before[motions[motion].slot - begin] = &motions[motion];
      }
      std::uint32_t changes = 0;  // a mask; only known to an encoder
      std::uint32_t wakes = 0;    // a mask of bodies without a motion that changed
      const std::vector<std::uint32_t>& all = scratch_.different;
      for (; different < all.size() && all[different] < end; ++different) {
        const std::uint32_t at = all[different] - begin;
        changes |= 1u << at;
        if (!before[at]) wakes |= 1u << at;
      }
      bool any = wakes != 0;
      code_bit(coder_, wakes_[has_moved ? 1 : 0], any);
      if (any || has_moved) code_block(begin, end, before, any, changes);
    }
  }

  // Codes which bodies of a block changed. Without `any`, only those with a motion can have.
  void code_block(std::uint32_t begin, std::uint32_t end,
                  const std::array<const BodyMotion*, kBlock>& before, bool any,
                  std::uint32_t changes) {
    for (std::uint32_t slot = begin; slot < end; ++slot) {
      const std::uint32_t at = slot - begin;
      if ((!before[at] && !any) || !is_kept(slot)) continue;
      bool has = changes >> at & 1;
      code_bit(coder_, changes_[before[at] ? speed_class(*before[at]) : 0], has);
      if (!has) continue;
      const auto place = static_cast<std::uint32_t>(coded_.motions.size());
      scratch_.changed.push_back({.slot = slot, .place = place, .motion = before[at]});
      coded_.motions.emplace_back();
    }
  }

  // Returns a class from 1 to 4, by how fast a body moved and turned.
  std::size_t speed_class(const BodyMotion& motion) const {
    const double square =
        square_of(vector_of(motion.displacement)) + square_of(per_step_ * widen(motion.rotation));
    return square < 3 ? 1 : square < 24 ? 2 : square < 200 ? 3 : 4;
  }

  Coder& coder_;
  DeltaLevel level_;
  const DeltaScene& scene_;
  const CodedFrame& baseline_;
  CodedFrame& coded_;
  FrameScratch& scratch_;
  double per_step_ = 1 / orientation_step(scene_.grid);

  BitModel rare_{kHalf / 32, 8};
  BitModel comes_{15 * kHalf / 8, 2};
  BitModel active_{kHalf, 0};
  BitModel resized_{kHalf / 8, 2};
  BitModel wakes_[2] = {BitModel(kHalf / 32, 6), BitModel(kHalf / 4, 3)};
  BitModel changes_[5] = {BitModel(kHalf / 6, 3), BitModel(kHalf, 3), BitModel(3 * kHalf / 2, 3),
                          BitModel(15 * kHalf / 8, 4), BitModel(63 * kHalf / 32, 6)};
};

}  // namespace

bool code_changes(const FrameTask& task, RangeEncoder& coder) {
  return ChangeCoder(task, coder).run();
}

bool code_changes(const FrameTask& task, RangeDecoder& coder) {
  return ChangeCoder(task, coder).run();
}

bool code_changes(const FrameTask& task, BitWriter& coder) {
  return ChangeCoder(task, coder).run();
}

bool code_changes(const FrameTask& task, BitReader& coder) {
  return ChangeCoder(task, coder).run();
}

}  // namespace orrery::codec
