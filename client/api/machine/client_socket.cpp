// Makes clients that have a UDP socket.
#include "client/api/make_client.h"
#include "client/udp/udp_client.h"
#include "common/host/process/clock.h"

namespace orrery::api {
namespace {

using client::ClientOptions;
using client::UdpClient;

// A client with a UDP socket.
class UdpSocketClient final : public SocketClient {
 public:
  explicit UdpSocketClient(std::unique_ptr<UdpClient> udp) : udp_(std::move(udp)) {}

  client::Client& client() override { return udp_->client(); }
  net::Nanoseconds now() const override { return host::monotonic_now(); }
  void update() override { udp_->update(); }
  void wait(net::Nanoseconds wait) override { udp_->wait(wait); }

 private:
  std::unique_ptr<UdpClient> udp_;
};

// Opens a client with a socket, or sets the code of the error.
Result<orrery_client*> open_client(const char* server, const char* access,
                                   const orrery_client_options* from, const ClientOptions& options,
                                   std::int32_t& code) {
  code = ORRERY_BAD_ARGUMENT;
  if (server == nullptr) return Error{"the server is null"};
  code = ORRERY_BAD_ADDRESS;
  const auto name = host::ServerName::find(server);
  if (!name) return name.error();
  code = ORRERY_BAD_TOKEN;
  const auto usable =
      client::Access::open({.either = access == nullptr ? "" : access}, name.value());
  if (!usable) return usable.error();
  Role role = Role::play;
  if (from != nullptr && from->admin != 0) role = Role::admin;
  if (from != nullptr && from->watch != 0) role = Role::watch;
  code = ORRERY_BAD_ADDRESS;
  auto opened = UdpClient::open(usable.value(), role, options);
  if (!opened) return opened.error();
  code = ORRERY_OK;
  return new orrery_client(options, std::make_unique<UdpSocketClient>(std::move(opened.value())));
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_client_open(const char* server, const char* access,
                           const orrery_client_options* options, orrery_client** client, char* why,
                           uint32_t why_size) {
  const auto make = [&](const ClientOptions& read, std::int32_t& code) {
    const auto opened = open_client(server, access, options, read, code);
    if (!opened) copy_text(opened.error().text().c_str(), why, why_size);
    return opened ? opened.value() : nullptr;
  };
  return make_client(client, options, why, why_size, make);
}
