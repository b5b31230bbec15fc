// A client with a UDP socket, the ciphers of libsodium, and the clock of this machine.
#include "client/udp/udp_client.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <utility>

#include "common/host/process/clock.h"
#include "common/net/drain.h"
#include "common/net/packet/address_text.h"

namespace orrery::client {
namespace {

// Longest wait for a datagram, so that the connection is kept alive.
constexpr net::Nanoseconds kWaitMax = net::kSecond / 30;

Reach reach_of(const host::UdpNetwork& network) {
  if (network.unreachable() == 0) return Reach::no_report;
  return network.unreachable() == ECONNREFUSED ? Reach::nobody_listens : Reach::unreachable;
}

ClientEnvironment environment_of(host::UdpNetwork& network) {
  return {.cipher = &network.cipher(),
          .random = [&network] { return network.random(); },
          .unix_seconds = [&network] { return network.unix_seconds(); },
          .reach = [&network] { return reach_of(network); }};
}

}  // namespace

Result<std::unique_ptr<UdpClient>> UdpClient::open(const UdpClientOptions& options) {
  const auto server = net::parse_destination(options.server);
  if (!server) return server.error();
  const auto access = Access::open(options.access, server.value());
  if (!access) return access.error();
  return open(access.value(), options.role, options.client);
}

Result<std::unique_ptr<UdpClient>> UdpClient::open(const Access& access, Role role,
                                                   const ClientOptions& options) {
  auto network = host::UdpNetwork::towards(access.server());
  if (!network) return network.error();
  std::unique_ptr<UdpClient> client(new UdpClient(std::move(network.value()), options));
  client->client_.connect(access.source(role), host::monotonic_now());
  client->send_waiting();
  return client;
}

UdpClient::UdpClient(std::unique_ptr<host::UdpNetwork> network, const ClientOptions& options)
    : network_(std::move(network)), client_(environment_of(*network_), options) {}

UdpClient::~UdpClient() {
  client_.disconnect(host::monotonic_now());
  send_waiting();
}

void UdpClient::send_waiting() {
  while (const auto datagram = client_.poll_send()) network_->send(datagram->to, datagram->bytes);
}

bool UdpClient::update() {
  const net::Nanoseconds now = host::monotonic_now();
  net::drain(*network_, [&](const net::Address& from, Bytes datagram) {
    client_.receive(from, datagram, now);
  });
  client_.update(now);
  send_waiting();
  return client_.phase() != ClientPhase::ended;
}

bool UdpClient::has_datagrams(net::Nanoseconds wait) const {
  pollfd waiting{network_->descriptor(), POLLIN, 0};
  const timespec time{static_cast<std::time_t>(wait / net::kSecond),
                      static_cast<long>(wait % net::kSecond)};
  return ::ppoll(&waiting, 1, &time, nullptr) > 0;
}

bool UdpClient::wait(net::Nanoseconds wait) {
  has_datagrams(std::min(wait, kWaitMax));
  return update();
}

bool UdpClient::wait_for_frame(double rate) {
  ORRERY_ASSERT(rate >= 1 && rate <= 1e4);
  const auto interval = static_cast<net::Nanoseconds>(net::kSecond / rate);
  net::Nanoseconds now = host::monotonic_now();
  next_frame_ = now > next_frame_ + interval ? now : next_frame_ + interval;
  bool lives = update();
  for (; lives && now < next_frame_; now = host::monotonic_now()) lives = wait(next_frame_ - now);
  return lives;
}

bool UdpClient::command(const CommandPayload& payload) {
  return client_.command(payload, host::monotonic_now());
}

Frame UdpClient::frame(FrameMode mode) { return client_.frame(host::monotonic_now(), mode); }

}  // namespace orrery::client
