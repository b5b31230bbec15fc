// Makes clients that have a UDP socket.
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "client/api/make_client.h"
#include "client/udp/udp_client.h"
#include "common/host/process/clock.h"
#include "common/net/packet/address_text.h"

namespace orrery::api {
namespace {

using client::ClientOptions;
using client::UdpClient;
using client::UdpClientOptions;

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

// Returns the options for a path: a token file begins with its version, a key file does not.
client::AccessOptions access_of(const char* path) {
  if (path == nullptr) return {};
  std::array<char, 7> start{};
  std::error_code unknown;
  const bool is_file = std::filesystem::is_regular_file(path, unknown);
  if (std::FILE* const file = is_file ? std::fopen(path, "rb") : nullptr) {
    (void)std::fread(start.data(), 1, start.size(), file);
    std::fclose(file);
  }
  const bool is_token = std::memcmp(start.data(), "NETCODE", start.size()) == 0;
  return is_token ? client::AccessOptions{.key_file = {}, .token = path}
                  : client::AccessOptions{.key_file = path, .token = {}};
}

// Opens a client with a socket, or sets the code of the error.
Result<orrery_client*> open_client(const char* server, const char* access,
                                   const orrery_client_options* from, const ClientOptions& options,
                                   std::int32_t& code) {
  code = ORRERY_BAD_ARGUMENT;
  if (server == nullptr) return Error{"the server is null"};
  code = ORRERY_BAD_ADDRESS;
  const auto address = net::parse_destination(server);
  if (!address) return address.error();
  UdpClientOptions all{.server = server, .access = access_of(access), .client = options};
  if (from != nullptr && from->admin != 0) all.role = Role::admin;
  if (from != nullptr && from->watch != 0) all.role = Role::watch;
  code = ORRERY_BAD_TOKEN;
  const auto usable = client::Access::open(all.access, address.value());
  if (!usable) return usable.error();
  code = ORRERY_BAD_ADDRESS;
  auto opened = UdpClient::open(all);
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
    if (!opened) copy_text(opened.error().message.c_str(), why, why_size);
    return opened ? opened.value() : nullptr;
  };
  return make_client(client, options, why, why_size, make);
}
