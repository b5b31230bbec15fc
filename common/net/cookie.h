// Owns the challenge cookie: proof that an address receives, of which the server keeps nothing.
#pragma once

#include <cstdint>

#include "common/net/environment.h"

namespace orrery {

// The keyed hash of address, port, slot of time and the client's nonce.
message::Cookie make_cookie(NetEnvironment& environment, const Address& address,
                            std::uint64_t nonce, Nanoseconds now);

// True for what make_cookie() gave for the same address and nonce in this slot or the one before.
// Takes the same time whatever the cookie is.
bool is_cookie(NetEnvironment& environment, const message::Cookie& cookie, const Address& address,
               std::uint64_t nonce, Nanoseconds now);

}  // namespace orrery
