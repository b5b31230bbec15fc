// Reassembles reliable messages from fragments in any order.
#include "common/net/channel/reliable_receiver.h"

#include <bit>

namespace orrery::net {
namespace {

// A message buffer with more capacity than this is freed after its message was read.
constexpr std::size_t kKeptBytesMax = std::size_t{64} << 10;

}  // namespace

ReliableReceiver::ReliableReceiver(std::uint32_t window, std::size_t message_bytes_max)
    : message_bytes_max_(message_bytes_max), slots_(window) {
  // Fragment numbers have 16 bits and wrap around, so the window must be smaller than half their
  // range.
  ORRERY_ASSERT(window < 1u << 15 && std::has_single_bit(window));
  ORRERY_ASSERT(message_bytes_max_ >= 1);
}

void ReliableReceiver::receive(Bytes fragments) {
  ORRERY_ASSERT(!whole_);  // the last call of next() returned nothing
  ByteReader reader(fragments);
  while (!failed_ && !reader.at_end()) {
    const std::optional<Fragment> fragment = decode_fragment(reader);
    if (!fragment) return fail();
    take(*fragment);
  }
}

void ReliableReceiver::take(const Fragment& fragment) {
  ORRERY_ASSERT(!failed_ && !fragment.bytes.empty());
  const auto ahead = static_cast<std::uint16_t>(fragment.number - next_);
  if (ahead >= 1u << 15) return;  // a number before next_: a repeat
  if (ahead >= slots_.size()) return fail();
  Slot& s = slot(fragment.number);
  if (s.taken) return;
  s.taken = true;
  s.last = fragment.last;
  s.bytes.assign(fragment.bytes.begin(), fragment.bytes.end());
}

std::optional<Bytes> ReliableReceiver::next() {
  if (whole_) {
    whole_ = false;
    if (message_.capacity() > kKeptBytesMax) message_ = {};
    message_.clear();
  }
  while (!failed_ && slot(next_).taken) {
    Slot& s = slot(next_);
    ORRERY_ASSERT(message_.size() <= message_bytes_max_);
    if (s.bytes.size() > message_bytes_max_ - message_.size()) {
      fail();
      break;
    }
    message_.insert(message_.end(), s.bytes.begin(), s.bytes.end());
    s.taken = false;
    ++next_;
    if (!s.last) continue;
    whole_ = true;
    return message_;
  }
  return std::nullopt;
}

void ReliableReceiver::fail() {
  failed_ = true;
  slots_ = {};
  message_ = {};
}

}  // namespace orrery::net
