// Fuzzes connections from the first datagram: loss, delay, repetition, damage, forgery and a
// malicious client.
#include <algorithm>
#include <set>

#include "common/core/bytes.h"
#include "common/core/limits.h"
#include "tests/fuzz/exchange_step.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/wire.h"

namespace orrery::fuzz {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr int kStepsMax = 400;

class Exchange {
 public:
  explicit Exchange(Bytes script) : script_(script) {}

  void run() {
    for (int i = 0; i < kStepsMax && script_.ok() && !script_.at_end(); ++i) {
      step(static_cast<ExchangeStep>(script_.u8() % kExchangeSteps));
      collect();
      check();
    }
  }

 private:
  void step(ExchangeStep step) {
    switch (step) {
      case ExchangeStep::wait:
        return wait(script_.u8() * 8 * net::kMillisecond);
      case ExchangeStep::to_server:
        return arrive(server_inbox_, true);
      case ExchangeStep::to_client:
        return arrive(client_inbox_, false);
      case ExchangeStep::lose_to_server:
        return lose(server_inbox_);
      case ExchangeStep::lose_to_client:
        return lose(client_inbox_);
      case ExchangeStep::again_to_server:
        return to_server(here_, earlier(client_said_));
      case ExchangeStep::again_to_client:
        return to_client(earlier(server_said_));
      case ExchangeStep::from_elsewhere:
        return to_server(elsewhere_, earlier(client_said_));
      case ExchangeStep::changed_to_server:
        return to_server(here_, changed(earlier(client_said_)));
      case ExchangeStep::changed_to_client:
        return to_client(changed(earlier(server_said_)));
      case ExchangeStep::foreign:
        return foreign();
      case ExchangeStep::say_input:
        return say_input();
      case ExchangeStep::say_snapshot:
        return say_snapshot();
      case ExchangeStep::rogue_request:
      case ExchangeStep::rogue_response:
      case ExchangeStep::rogue_packet:
        return rogue(step);
    }
  }

  void wait(net::Nanoseconds time) {
    now_ += time;
    client_.update(now_);
    std::vector<net::ServerEvent> gone;
    server_.update(now_, gone);
    for (const net::ServerEvent& event : gone) {
      ORRERY_ASSERT(event.reason == EndReason::timed_out);
    }
  }

  // Queues the datagrams that the honest client and the server sent each other. Counts the server's
  // bytes to the address `elsewhere_`, and keeps the server's latest datagram to the malicious
  // client.
  void collect() {
    for (auto& [to, datagram] : std::exchange(client_wire_.sent, {})) {
      client_said_.push_back(datagram);
      server_inbox_.push_back(std::move(datagram));
    }
    for (auto& [to, datagram] : std::exchange(server_wire_.sent, {})) {
      if (to == elsewhere_) bytes_to_elsewhere_ += datagram.size();
      if (to == rogue_address_) rogue_heard_ = datagram;
      if (to != here_) continue;
      server_said_.push_back(datagram);
      client_inbox_.push_back(std::move(datagram));
    }
  }

  void arrive(std::vector<Buffer>& inbox, bool at_server) {
    if (inbox.empty()) return;
    const Buffer datagram = inbox.front();
    inbox.erase(inbox.begin());
    if (at_server) return to_server(here_, datagram);
    to_client(datagram);
  }

  static void lose(std::vector<Buffer>& inbox) {
    if (!inbox.empty()) inbox.erase(inbox.begin());
  }

  Buffer earlier(const std::vector<Buffer>& said) {
    const std::size_t ago = script_.u8();
    return said.empty() ? Buffer{} : said[said.size() - 1 - ago % said.size()];
  }

  Buffer changed(Buffer datagram) {
    const std::size_t place = script_.u8();
    const std::uint8_t bits = script_.u8();
    if (!datagram.empty()) datagram[place % datagram.size()] ^= bits;
    return datagram;
  }

  Buffer some_bytes() {
    const Bytes bytes = script_.bytes(script_.u8());
    return {bytes.begin(), bytes.end()};
  }

  void foreign() {
    const std::uint8_t whom = script_.u8() % 3;
    const Buffer bytes = some_bytes();
    if (whom == 0) return to_client(bytes);
    to_server(whom == 1 ? here_ : elsewhere_, bytes);
  }

  void to_server(const net::Address& from, const Buffer& datagram) {
    if (from == elsewhere_) bytes_from_elsewhere_ += datagram.size();
    const net::ServerEvent event = server_.receive(from, datagram, now_);
    ORRERY_ASSERT(from != elsewhere_ || event.kind == net::ServerEvent::Kind::nothing);
    if (event.kind != net::ServerEvent::Kind::input) return;
    ORRERY_ASSERT(from == here_ && event.message.size() == 8);
    const std::uint64_t number = load_little_endian<8>(event.message.data());
    ORRERY_ASSERT(number < inputs_said_ && inputs_heard_.insert(number).second);
  }

  void to_client(const Buffer& datagram) {
    const auto said = client_.receive(there_, datagram, now_);
    if (!said) return;
    if (said->type == net::MessageType::reliable) return;  // the server acknowledges
    ORRERY_ASSERT(said->type == net::MessageType::snapshot && said->message.size() == 8);
    const std::uint64_t number = load_little_endian<8>(said->message.data());
    ORRERY_ASSERT(number < snapshots_said_ && snapshots_heard_.insert(number).second);
  }

  static std::array<std::uint8_t, 8> numbered(std::uint64_t number) {
    std::array<std::uint8_t, 8> message;
    store_little_endian<8>(message.data(), number);
    return message;
  }

  void say_input() {
    if (client_.state() != net::ClientState::connected) return;
    client_.send(net::MessageType::input, numbered(inputs_said_++), now_);
  }

  void say_snapshot() {
    const std::array<std::uint8_t, 8> message = numbered(snapshots_said_++);
    const Bytes part(message);
    for (ClientId client{1}; client <= server_.peers().highest(); ++client.value) {
      if (server_.peers()[client].joined)
        server_.send_snapshot(client, net::MessageType::snapshot, {&part, 1}, now_);
    }
  }

  void rogue(ExchangeStep step) {
    Buffer datagram;
    const net::PacketSealer sealer(client_wire_.cipher(), net::kDefaultProtocolId);
    if (step == ExchangeStep::rogue_request) {
      net::encode_request(rogue_token_, datagram);
    } else if (step == ExchangeStep::rogue_response) {
      std::array<std::uint8_t, net::kPacketBytesMax> text;
      const auto prefix = net::decode_prefix(rogue_heard_);
      if (!prefix || prefix->type != net::PacketType::challenge) return;
      const auto opened = sealer.open(rogue_token_.server_to_client, *prefix, rogue_heard_, text);
      ORRERY_ASSERT(opened);
      sealer.seal(rogue_token_.client_to_server, net::PacketType::response, 0, *opened, datagram);
    } else {
      datagram = rogue_packet(sealer);
    }
    to_server(rogue_address_, datagram);
  }

  // Returns a response, keep-alive, payload or disconnect packet. Its text has the size that the
  // type needs. Never returns an input: to_server() expects inputs only from the honest client.
  Buffer rogue_packet(const net::PacketSealer& sealer) {
    const auto type = static_cast<net::PacketType>(3 + script_.u8() % 4);
    const std::uint64_t sequence = script_.u16();
    Buffer text = some_bytes();
    if (type == net::PacketType::response) text.resize(net::kChallengeTextBytes);
    if (type == net::PacketType::keep_alive) text.resize(net::kKeepAliveBytes);
    if (type == net::PacketType::disconnect) text.clear();
    if (type == net::PacketType::payload && text.empty()) text.push_back(0);
    if (text.size() > 1 && text[0] == static_cast<std::uint8_t>(net::MessageType::input))
      text[0] = 0;
    Buffer datagram;
    sealer.seal(rogue_token_.client_to_server, type, sequence, text, datagram);
    return datagram;
  }

  void check() const {
    ORRERY_ASSERT(server_.peers().count() <= 2);
    ORRERY_ASSERT(static_cast<double>(bytes_to_elsewhere_) <=
                  limits::kAmplificationMax * static_cast<double>(bytes_from_elsewhere_));
    if (client_.state() != net::ClientState::ended) return;
    switch (client_.end_reason()) {
      case EndReason::none:
      case EndReason::no_answer:
      case EndReason::silent:
      case EndReason::token_expired:
      case EndReason::timed_out:
      case EndReason::forgotten:       // the server dropped it, and said so too early
      case EndReason::server_stopped:  // the goodbye with the real reason may be lost
        return;
      default:
        ORRERY_ASSERT(false && "nothing else can happen to a client that keeps to the rules");
    }
  }

  ByteReader script_;
  const net::Address here_{{}, 1}, there_{{}, 2}, rogue_address_{{}, 3}, elsewhere_{{}, 9};
  net::Nanoseconds now_ = net::kSecond;
  Wire server_wire_, client_wire_;
  net::ServerEndpoint server_{server_wire_, {2, 60, 1.0 / 60, 3, "fuzz", access_of(there_)}, now_};
  net::ClientEndpoint client_{client_wire_, token_for(client_wire_, access_of(there_), 1), now_};
  const net::ConnectToken rogue_token_ = token_for(client_wire_, access_of(there_), 2);
  std::vector<Buffer> server_inbox_, client_inbox_;  // in flight
  std::vector<Buffer> server_said_, client_said_;    // all datagrams so far
  Buffer rogue_heard_;
  std::uint64_t inputs_said_ = 0, snapshots_said_ = 0;
  std::set<std::uint64_t> inputs_heard_, snapshots_heard_;
  std::size_t bytes_from_elsewhere_ = 0, bytes_to_elsewhere_ = 0;
};

}  // namespace
}  // namespace orrery::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::fuzz::Exchange({data, size}).run();
  return 0;
}
