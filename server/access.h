// Decides which clients may connect: those with tokens made with the operator's key, or with a
// random key of this run.
#pragma once

#include <memory>
#include <string>

#include "common/core/result.h"
#include "common/host/net/key_file.h"
#include "common/host/net/udp.h"
#include "common/net/gate/gate.h"
#include "server/options.h"

namespace orrery::server {

// The rules by which the server accepts tokens.
struct ServerAccess {
  net::Access access;
  std::unique_ptr<host::DevelopmentKey> run_key;  // key file for this run; null with --key-file
  std::string newest_token_file;  // see operator/newest_token.h; empty without --key-file
};

// Checks whether the options allow listening at this address. An Error names the missing option.
Status check_access(const Options& options, const net::Address& address);

// Returns the access rules of a server that listens at `local` and writes `log`: the key, the life
// of tokens, the address that tokens must list, and the newest token of earlier runs. An Error is
// one line that names the option or the file.
Result<ServerAccess> open_access(const Options& options, const net::Address& local,
                                 const std::string& log);

// Logs which clients may connect. With --key-file, also warns if the clock is behind, or if the
// receive buffer of the socket is small. Without it, logs the path of the key file of this run
// instead.
void report(const ServerAccess& access, const host::UdpNetwork& network);

}  // namespace orrery::server
