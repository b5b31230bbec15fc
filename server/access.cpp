// Chooses the key, addresses and token life with which a server accepts clients, and logs which
// clients may connect.
#include "server/access.h"

#include <algorithm>

#include "common/host/net/server_name.h"
#include "common/host/process/clock.h"
#include "common/net/packet/address_text.h"
#include "server/operator/log_line.h"
#include "server/operator/newest_token.h"

namespace orrery::server {
namespace {

bool is_any(const net::Address& address) {
  const std::size_t first = net::is_ipv4(address) ? net::kMappedIpv4.size() : 0;
  return std::all_of(address.ip.begin() + static_cast<std::ptrdiff_t>(first), address.ip.end(),
                     [](std::uint8_t byte) { return byte == 0; });
}

Result<ServerAccess> for_this_run(const net::Address& local) {
  auto key = host::DevelopmentKey::write(local);
  if (!key) return key.error();
  ServerAccess result;
  result.access.key = key.value()->key();
  result.access.key_is_fresh = true;
  result.access.address = local;
  result.run_key = std::move(key.value());
  return result;
}

}  // namespace

Status check_access(const Options& options, const net::Address& address) {
  if (options.key_file.empty() && !net::is_loopback(address)) {
    return Error::at(
        "--listen",
        " " + net::format_address(address) +
            ": needs --key-file; without it, listen on this machine only (127.0.0.1:PORT)");
  }
  if (!options.key_file.empty() && options.public_address.empty() && is_any(address)) {
    return Error::at("--listen",
                     " " + net::format_address(address) +
                         ": is a wildcard; give the address in the tokens with --public ADDR:PORT");
  }
  return ok_status();
}

Result<ServerAccess> open_access(const Options& options, const net::Address& local,
                                 const std::string& log) {
  if (options.key_file.empty()) return for_this_run(local);
  const auto key = host::read_key_file(options.key_file);
  if (!key) return key.error().of_option("--key-file", " ");
  ServerAccess result;
  result.access.key = key.value().key;
  result.access.protocol_id = options.protocol_id.value_or(key.value().protocol_id);
  result.access.token_life = options.token_life;
  result.access.address = local;
  if (!options.public_address.empty()) {
    const auto name = host::ServerName::find(options.public_address);
    if (!name) return name.error().of_option("--public", " ");
    result.access.address = name.value().canonical();
  }
  result.newest_token_file = newest_token_path(log, result.access.address.port);
  const auto newest = read_newest_token(result.newest_token_file);
  if (!newest) return newest.error();
  result.access.newest_token = newest.value();
  return result;
}

void report(const ServerAccess& access, const host::UdpNetwork& network) {
  if (access.run_key) {
    log_event(LogEvent::development_mode, {{"key_file", access.run_key->path()}});
    return;
  }
  log_event(LogEvent::tokens_accepted, {{"address", net::format_address(access.access.address)},
                                        {"protocol_id", access.access.protocol_id},
                                        {"token_life_seconds", access.access.token_life}});
  const std::uint64_t now = host::unix_seconds();
  if (access.access.newest_token > now) {
    log_event(LogEvent::clock_behind,
              {{"seconds", access.access.newest_token - now}, {"file", access.newest_token_file}});
  }
  if (network.receive_buffer() >= host::UdpNetwork::kBufferBytes) return;
  log_event(LogEvent::receive_buffer_small, {{"bytes", network.receive_buffer()},
                                             {"wanted_bytes", host::UdpNetwork::kBufferBytes}});
}

}  // namespace orrery::server
