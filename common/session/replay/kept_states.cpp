// Keeps states of a session in a limited number of bytes, so that any tick is few steps away.
#include "common/session/replay/kept_states.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/core/assert.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

constexpr double kSpacingMin = 8;  // ticks
// Ticks. Farther from the centre, the spacing grows with the distance.
constexpr std::uint64_t kNear = 600;
constexpr std::size_t kBases = 4;  // earlier frames that are tried as the base of a difference
constexpr double kSaving = 0.6;    // largest part of an image that a difference may have
// Ticks on each side of the centre, in the order in which gaps are filled.
constexpr std::uint64_t kReaches[] = {100, 400, 1500};

using Words = std::vector<std::uint32_t>;

// Returns the bytes as words. The last word is filled with zeros.
Words words_of(Bytes bytes) {
  Words words((bytes.size() + 3) / 4);
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::size_t masks_of(std::size_t words) { return (words + 31) / 32; }

// Returns a mask of the words that differ, and then the differences of these words.
Words difference(const Words& base, const Words& image) {
  ORRERY_ASSERT(base.size() == image.size());
  Words delta(masks_of(image.size()));
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::uint32_t word = base[i] ^ image[i];
    if (word == 0) continue;
    delta[i / 32] |= std::uint32_t{1} << i % 32;
    delta.push_back(word);
  }
  return delta;
}

Words restored(const Words& base, const Words& delta) {
  ORRERY_ASSERT(delta.size() >= masks_of(base.size()));
  Words image = base;
  std::size_t next = masks_of(image.size());
  for (std::size_t m = 0; m < masks_of(image.size()); ++m) {
    for (std::uint32_t mask = delta[m]; mask != 0; mask &= mask - 1) {
      image[32 * m + static_cast<std::size_t>(std::countr_zero(mask))] ^= delta[next++];
    }
  }
  ORRERY_ASSERT(next == delta.size());
  return image;
}

std::size_t bytes_of(const Words& words) { return words.size() * sizeof(std::uint32_t); }

// Limits for the plan of which states to keep. They keep the numbers below small, whatever tick an
// untrusted log claims to have.
constexpr std::uint64_t kReachMax = std::uint64_t{1} << 48;
constexpr std::uint64_t kRoundsMax = 4096;
// No product below overflows.
static_assert(kWayStatesMax + 1 + kRoundsMax <
              std::numeric_limits<std::uint64_t>::max() / kReachMax);

// Returns the number of ticks through which a playback can go backwards with `states` kept states,
// if each step is computed at most `rounds` times: C(states + 1 + rounds, rounds), a binomial
// coefficient. Stops multiplying when the product reaches kReachMax.
std::uint64_t reach(std::uint64_t states, std::uint64_t rounds) {
  ORRERY_ASSERT(states <= kWayStatesMax && rounds <= kRoundsMax);
  std::uint64_t reach = 1;
  for (std::uint64_t i = 1; i <= rounds && reach < kReachMax; ++i) {
    reach = reach * (states + 1 + i) / i;
  }
  return reach;
}

// Returns the smallest r for which `states` kept states are enough to go backwards through `span`
// ticks with each step computed at most r times; at most kRoundsMax.
std::uint64_t rounds_for(std::uint64_t span, std::uint64_t states) {
  ORRERY_ASSERT(states <= kWayStatesMax);
  std::uint64_t reach = 1;
  std::uint64_t rounds = 0;
  while (reach <= span && reach < kReachMax && rounds < kRoundsMax) {
    ++rounds;
    reach = reach * (states + 1 + rounds) / rounds;
  }
  return rounds;
}

// Returns the smallest number of kept states, up to `most`, that is enough to go backwards through
// `span` ticks with each step computed at most `rounds` times.
std::uint64_t states_for(std::uint64_t span, std::uint64_t rounds, std::uint64_t most) {
  ORRERY_ASSERT(most <= kWayStatesMax);
  std::uint64_t states = 0;
  while (states < most && reach(states, rounds) <= span) ++states;
  return states;
}

}  // namespace

void KeptStates::centre(Tick tick) {
  centre_ = tick.value;
  if (density_ > 0) least_useful(density_);
}

std::size_t KeptStates::count_to(std::uint64_t tick) const {
  const auto after = std::upper_bound(
      frames_.begin(), frames_.end(), tick,
      [](std::uint64_t wanted, const Frame& frame) { return wanted < frame.place.tick.value; });
  return static_cast<std::size_t>(after - frames_.begin());
}

const LogPosition* KeptStates::before(Tick tick) const {
  const std::size_t count = count_to(tick.value);
  return count == 0 ? nullptr : &frames_[count - 1].place;
}

std::vector<std::uint8_t> KeptStates::image(Tick tick) const {
  const std::size_t count = count_to(tick.value);
  ORRERY_ASSERT(count > 0 && frames_[count - 1].place.tick == tick);
  const Frame& frame = frames_[count - 1];
  const Words& base = frame.base->words;
  const Words words = frame.delta.empty() ? base : restored(base, frame.delta);
  ORRERY_ASSERT(bytes_of(words) >= frame.size);
  std::vector<std::uint8_t> bytes(frame.size);
  std::memcpy(bytes.data(), words.data(), frame.size);
  return bytes;
}

double KeptStates::distance(std::uint64_t tick) const {
  return static_cast<double>(kNear + (tick < centre_ ? centre_ - tick : tick - centre_));
}

double KeptStates::spacing(std::uint64_t tick) const {
  return std::max(kSpacingMin, 0.75 * density_ * distance(tick));
}

bool KeptStates::wants(Tick tick) const {
  if (bytes_max_ == 0 || std::isinf(density_)) return false;  // no image fits
  const std::size_t next = count_to(tick.value);
  const double gap = spacing(tick.value);
  const auto is_far = [&](std::uint64_t one, std::uint64_t other, double least) {
    return static_cast<double>(other - one) >= least;
  };
  return (next == 0 || is_far(this->tick(next - 1), tick.value, gap)) &&
         (next == frames_.size() || is_far(tick.value, this->tick(next), gap / 2));
}

std::size_t KeptStates::least_useful(double& gap) const {
  std::size_t least = 0;
  gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < frames_.size(); ++i) {  // the first frame stays if there are others
    const std::uint64_t next = i + 1 < frames_.size() ? tick(i + 1) : tick(i) + kNear;
    const double relative = static_cast<double>(next - tick(i - 1)) / distance(tick(i));
    if (relative >= gap) continue;
    least = i;
    gap = relative;
  }
  return least;
}

void KeptStates::add(const LogPosition& place, Bytes image) {
  ORRERY_ASSERT(!image.empty());
  const std::size_t earlier = count_to(place.tick.value);
  if (bytes_max_ == 0 || (earlier > 0 && frames_[earlier - 1].place.tick == place.tick)) return;
  insert(pack(place, image, earlier), earlier);
  while (bytes_ > bytes_max_) drop(least_useful(density_));
  ORRERY_ASSERT(!frames_.empty() || bytes_ == 0);
}

void KeptStates::insert(Frame frame, std::size_t earlier) {
  ORRERY_ASSERT(earlier <= frames_.size());
  count(frame, true);
  frames_.insert(frames_.begin() + static_cast<std::ptrdiff_t>(earlier), std::move(frame));
}

void KeptStates::drop(std::size_t frame) {
  ORRERY_ASSERT(frame < frames_.size());
  count(frames_[frame], false);
  frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(frame));
}

KeptStates::Frame KeptStates::pack(const LogPosition& place, Bytes image,
                                   std::size_t earlier) const {
  ORRERY_ASSERT(earlier <= frames_.size());
  Words words = words_of(image);
  const std::size_t first = earlier - std::min(earlier, kBases);
  for (std::size_t i = earlier; i-- > first;) {
    if (frames_[i].size != image.size()) continue;
    Words delta = difference(frames_[i].base->words, words);
    if (static_cast<double>(delta.size()) > kSaving * static_cast<double>(words.size())) break;
    return {place, image.size(), frames_[i].base, std::move(delta), false};
  }
  return {place, image.size(), std::make_shared<Base>(Base{std::move(words)}), {}, false};
}

void KeptStates::count(Frame& frame, bool added) {
  Base& base = *frame.base;
  const bool begins = added && base.users == 0;
  ORRERY_ASSERT(added || base.users > 0);
  base.users += added ? 1 : -1;
  const bool ends = !added && base.users == 0;
  const std::size_t changed =
      bytes_of(frame.delta) + (begins || ends ? bytes_of(base.words) : std::size_t{0});
  ORRERY_ASSERT(added || bytes_ >= changed);
  bytes_ = added ? bytes_ + changed : bytes_ - changed;
}

std::optional<Tick> KeptStates::missing(Tick last) const {
  if (bytes_max_ == 0 || std::isinf(density_)) return {};
  for (const std::uint64_t reach : kReaches) {
    if (const std::optional<Tick> tick = missing_within(reach, last)) return tick;
  }
  return {};
}

std::optional<Tick> KeptStates::missing_within(std::uint64_t reach, Tick last) const {
  const std::uint64_t start = centre_ - std::min(centre_, reach);
  const std::uint64_t end = std::min(centre_ + reach, last.value);
  for (std::size_t next = count_to(start); next <= frames_.size(); ++next) {
    const std::uint64_t from = next > 0 ? std::max(tick(next - 1), start) : start;
    const std::uint64_t to = next < frames_.size() ? std::min(tick(next), end) : end;
    if (from >= end) break;
    ORRERY_ASSERT(from < to);
    const auto gap = static_cast<double>(to - from);
    if (gap < 2 * spacing(std::clamp(centre_, from, to))) continue;
    const double step = std::min(spacing(from), gap / 2);
    return Tick{from + static_cast<std::uint64_t>(std::ceil(step))};
  }
  return {};
}

std::uint64_t KeptStates::room(std::size_t bytes) const {
  return std::min<std::uint64_t>(kWayStatesMax, bytes / image_bytes_);
}

void KeptStates::plan(Tick first, Tick to, std::size_t image_bytes) {
  ORRERY_ASSERT(first <= to);
  image_bytes_ = std::max(image_bytes_, image_bytes);
  std::size_t way_bytes = 0;  // of states that may be dropped
  for (std::size_t i = frames_.size(); i-- > 0;) {
    if (!frames_[i].is_way) continue;
    if (tick(i) <= first.value || tick(i) > to.value) {
      drop(i);
    } else {
      way_bytes += frames_[i].size;
    }
  }
  const auto begin = [&] {
    const LogPosition* const kept = before(to);
    return kept == nullptr ? first.value : std::max(first.value, kept->tick.value);
  };
  const std::uint64_t rounds_with_all =
      rounds_for(to.value - first.value, room(bytes_max_ - bytes_ + way_bytes));
  for (std::size_t i = count_to(to.value); i-- > 0 && frames_[i].is_way; drop(i)) {
    if (rounds_for(to.value - begin(), room(bytes_max_ - bytes_)) <= rounds_with_all) break;
  }
  const std::uint64_t span = to.value - begin();
  const std::uint64_t free = room(bytes_max_ - bytes_);
  to_ = to;
  rounds_ = rounds_for(span, free);
  left_ = states_for(span, rounds_, free);
  ORRERY_ASSERT(left_ == 0 || rounds_ > 0);
  if (left_ > 0) next_.value = begin() + reach(left_, rounds_ - 1);
}

void KeptStates::pass(const World& world, const LogPosition& place) {
  ORRERY_ASSERT(world.tick() == place.tick);
  if (left_ == 0 || world.tick() < next_ || world.tick() >= to_) return;
  save_image(world, draft_);
  image_bytes_ = std::max(image_bytes_, draft_.size());
  Frame frame{place, draft_.size(), std::make_shared<Base>(Base{words_of(draft_)}), {}, true};
  const std::size_t earlier = count_to(place.tick.value);
  const bool is_known = earlier > 0 && tick(earlier - 1) == place.tick.value;
  if (!is_known && bytes_of(frame.base->words) > bytes_max_ - bytes_) {
    left_ = 0;
    return;
  }
  if (!is_known) insert(std::move(frame), earlier);
  --left_;
  next_.value = world.tick().value + reach(left_, rounds_ - 1);
}

}  // namespace orrery::session
