// A client with a UDP socket, the ciphers of libsodium, and the clock of this machine.
#include "client/udp/udp_client.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/host/process/clock.h"
#include "common/net/drain.h"

namespace orrery::client {
namespace {

// Longest wait for a datagram, so that the connection is kept alive.
constexpr net::Nanoseconds kWaitMax = net::kSecond / 30;

}  // namespace

Result<std::unique_ptr<UdpClient>> UdpClient::open(const UdpClientOptions& options) {
  const auto server = host::ServerName::find(options.server);
  if (!server) return server.error();
  const auto access = Access::open(options.access, server.value());
  if (!access) return access.error();
  return open(access.value(), options.role, options.client);
}

Result<std::unique_ptr<UdpClient>> UdpClient::open(const Access& access, Role role,
                                                   const ClientOptions& options) {
  auto sockets = ClientSockets::open(access.servers());
  if (!sockets) return sockets.error();
  std::unique_ptr<UdpClient> client(new UdpClient(std::move(sockets.value()), options));
  client->client_.connect(access.source(role), host::monotonic_now());
  client->send_waiting();
  return client;
}

UdpClient::UdpClient(std::unique_ptr<ClientSockets> sockets, const ClientOptions& options)
    : sockets_(std::move(sockets)), client_(sockets_->environment(), options) {}

UdpClient::~UdpClient() {
  client_.disconnect(host::monotonic_now());
  send_waiting();
}

void UdpClient::send_waiting() {
  while (const auto datagram = client_.poll_send()) sockets_->send(*datagram);
}

bool UdpClient::update() {
  const net::Nanoseconds now = host::monotonic_now();
  sockets_->drain(net::kDrainedMax,
                  [&](const net::Address& from, Bytes datagram, std::uint32_t route) {
                    client_.receive(from, datagram, now, route);
                  });
  client_.update(now);
  send_waiting();
  return client_.phase() != ClientPhase::ended;
}

bool UdpClient::wait(net::Nanoseconds wait) {
  sockets_->wait(std::min(wait, kWaitMax));
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
