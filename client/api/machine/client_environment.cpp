// Gives clients without a socket libsodium's cipher and random bits, and this machine's calendar.
#include "client/api/machine/machine.h"
#include "common/host/net/sodium_cipher.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"

namespace orrery::api {

client::ClientEnvironment client_environment() {
  static const host::SodiumCipher cipher;
  return {.cipher = &cipher, .random = host::random_u64, .unix_seconds = host::unix_seconds};
}

}  // namespace orrery::api
