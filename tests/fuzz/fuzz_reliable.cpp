// Fuzzes reliable messages with fragments and acknowledgements of a malicious peer.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/net/channel/reliable_receiver.h"
#include "common/net/channel/reliable_sender.h"
#include "tests/fuzz/fuzz.h"

namespace orrery {
namespace {

constexpr std::uint32_t kWindow = 16;
constexpr std::size_t kMessageMax = 4096;

// Receives the input as datagrams, each preceded by its length (u8).
void fragments(Bytes input) {
  net::ReliableReceiver receiver(kWindow, kMessageMax);
  ByteReader reader(input);
  std::size_t given = 0;
  std::size_t taken = 0;
  while (!reader.at_end()) {
    const std::size_t size = reader.u8();
    const Bytes datagram = reader.bytes(std::min(size, reader.remaining()));
    receiver.receive(std::vector<std::uint8_t>(datagram.begin(), datagram.end()));
    given += datagram.size();
    while (const auto message = receiver.next()) {
      ORRERY_ASSERT(!message->empty() && message->size() <= kMessageMax);
      taken += message->size();
    }
    ORRERY_ASSERT(taken <= given);
  }
}

// Applies the input as acknowledgements, correct or false, to a sender whose datagrams all arrive.
// The receiver must not find that the sender breaks the protocol.
void acks(Bytes input) {
  net::ReliableSender sender(kWindow);
  net::ReliableReceiver receiver(kWindow, kMessageMax);
  net::PathEstimator path;
  net::Nanoseconds now = net::kSecond;
  std::vector<std::uint8_t> out;
  ByteReader reader(input);
  for (std::uint32_t sequence = 1; reader.remaining() >= 8;
       ++sequence, now += 50 * net::kMillisecond) {
    if (sender.ready()) {
      const std::size_t size = 1 + sequence % kMessageMax;
      sender.send(std::make_shared<const std::vector<std::uint8_t>>(size));
    }
    out.clear();
    if (sender.append_due(limits::kMessageBytesMax, sequence, now, out)) path.sent(sequence, now);
    receiver.receive(out);
    while (receiver.next()) {
    }
    ORRERY_ASSERT(!receiver.failed());
    // Acknowledges only datagrams that were sent. Otherwise the sender's window would overtake the
    // receiver's.
    const std::uint32_t ack = reader.u32() % (sequence + 1);
    const std::uint32_t bits = reader.u32();
    sender.acknowledged(ack, bits);
    path.acknowledged(ack, bits, 0, now);
    sender.update(path, now);
  }
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::fragments({data, size});
  orrery::acks({data, size});
  return 0;
}
