// Owns whom the server lets in: by the operator's key, or by one for this run.
#pragma once

#include <memory>

#include "common/core/result.h"
#include "common/host/net/key_file.h"
#include "common/host/net/udp.h"
#include "common/net/gate/gate.h"
#include "server/options.h"

namespace orrery::server {

struct ServerAccess {
  net::Access access;
  std::unique_ptr<host::DevelopmentKey> run_key;  // without --key-file
};

// Before it listens: an Error says what is missing for listening at this address.
Status check_access(const Options& options, const net::Address& address);

// For a server that listens at `local`. An Error is one line that names the option.
Result<ServerAccess> open_access(const Options& options, const net::Address& local);

// Tells the operator.
void report(const ServerAccess& access, const host::UdpNetwork& network);

}  // namespace orrery::server
