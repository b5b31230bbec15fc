// Simulates a client that acknowledges messages which it has not received.
#include "tests/fleet/players/liar.h"

#include <string>

#include "common/net/channel/message_sequences.h"
#include "server/senders/baselines.h"

namespace orrery::fleet {
namespace {

constexpr std::uint32_t kSecondsMax = 20;  // of a connection

// Bytes that a client may be sent beyond its budget: a tick at the first rate, and the goodbyes.
constexpr double kBytesSlack = 30e3;
// Datagrams after which the server must have noticed false acknowledgements. Each block of
// messages after the first shows them with a probability of more than 0.9.
constexpr std::uint32_t kDatagramsMax = 10 * net::MessageSequences::kBlock;

}  // namespace

Liar::Liar(Network& network, const net::Cipher& cipher, Issuer& issuer, Invariants& invariants,
           std::uint64_t seed, std::uint32_t number)
    : Attacker(network, cipher, issuer, invariants, seed, number, 4000) {}

void Liar::connect() {
  blind_.reset();
  frames_.reset();
  connected_at_ = 0;
  until_ = network_.now + (1 + random_.below(kSecondsMax)) * net::kSecond;
  const net::ConnectToken token = issuer_.issue(700 + number_, Role::watch);
  const std::uint32_t manner = random_.below(4);
  const std::uint32_t frames = 1 + random_.below(30);
  if (random_.below(2) == 0) {
    blind_.emplace(machine_, token, network_.now, static_cast<test::BlindReader::Manner>(manner));
  } else {
    using Manner = test::FrameReader::Manner;
    frames_.emplace(machine_, token, network_.now, manner == 0 ? Manner::lags : Manner::keeps_one,
                    frames);
  }
}

void Liar::receive(const net::Datagram& datagram) {
  if (gone_ || until_ == 0) return;
  const net::ClientState before = endpoint().state();
  if (blind_) {
    blind_->receive(datagram.from, datagram.bytes, network_.now);
  } else {
    frames_->receive(datagram.from, datagram.bytes, network_.now);
  }
  heard(datagram, before, endpoint());
  note_join(endpoint(), false);
  if (blind_ && connected_at_ != 0) check_acknowledgements();
  if (frames_ && connected_at_ != 0) check_baselines();
}

void Liar::update() {
  if (gone_) return;
  if (network_.now >= until_) return connect();
  if (blind_) blind_->update(network_.now);
  if (frames_) frames_->update(network_.now);
}

// No acknowledgement of this client is true, so the server must end the connection. Until then it
// must send no more than to a client that acknowledges nothing.
void Liar::check_acknowledgements() {
  if (blind_->lies() && blind_->datagrams() > kDatagramsMax) {
    return invariants_.fail("lies are noticed",
                            std::to_string(blind_->datagrams()) +
                                " datagrams to a client that acknowledges what it did not read");
  }
  const double seconds = static_cast<double>(network_.now - connected_at_) / net::kSecond;
  const double most = net::CongestionControl::kUnheardBytes +
                      seconds * net::CongestionControl::kRateMin + kBytesSlack;
  if (static_cast<double>(blind_->bytes()) <= most) return;
  invariants_.fail("lies earn nothing", std::to_string(blind_->bytes()) + " bytes in " +
                                            std::to_string(seconds) +
                                            " s to a client that reads nothing");
}

void Liar::check_baselines() {
  const std::uint64_t most =
      std::uint64_t{server::Baselines::kSeconds} * endpoint().welcome().tick_rate;
  if (frames_->oldest_baseline() <= most) return;
  invariants_.fail(
      "baselines are recent",
      "a frame has a baseline of " + std::to_string(frames_->oldest_baseline()) + " ticks before");
}

}  // namespace orrery::fleet
