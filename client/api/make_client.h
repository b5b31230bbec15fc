// Makes the handle of a client, for orrery_client_open() and orrery_client_create().
#pragma once

#include <optional>

#include "client/api/client_handle.h"
#include "common/core/float_environment.h"

namespace orrery::api {

// Reads the caller's options, which may be null. If one is invalid, returns nothing, sets `code`,
// and writes a sentence into `why`.
std::optional<client::ClientOptions> options_in(const orrery_client_options* from, char* why,
                                                std::uint32_t why_size, std::int32_t& code);

// Makes a client with `make(options, code)`, which returns a handle as the `make` of created().
std::int32_t make_client(orrery_client** client, const orrery_client_options* options, char* why,
                         std::uint32_t why_size, auto make) {
  return created(client, why, why_size, [&](std::int32_t& code) -> orrery_client* {
    if (!float_environment_is_sound()) {
      copy_text(kFloatMode, why, why_size);
      code = ORRERY_FLOAT_MODE;
      return nullptr;
    }
    const auto read = options_in(options, why, why_size, code);
    return read ? make(*read, code) : nullptr;
  });
}

}  // namespace orrery::api
