// Saves the last ten seconds of a follower that differs from its server.
#include "client/api/client_handle.h"
#include "common/core/float_environment.h"
#include "common/host/disk/flight_file.h"

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_client_save_flight(orrery_client* client, const char* path, char* report,
                                  uint32_t report_size) {
  copy_text("", report, report_size);
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (path == nullptr) return fail(c, ORRERY_BAD_ARGUMENT, "the path is null");
    const auto flight = c.client().stats().flight;
    if (!flight) return fail(c, ORRERY_NOT_READY, "no tick that the client followed has diverged");
    if (!orrery::float_environment_is_sound()) {
      return fail(c, ORRERY_FLOAT_MODE, "%s", kFloatMode);
    }
    const auto saved = orrery::host::save_flight(*flight, path);
    if (!saved.file) return fail(c, ORRERY_BAD_ARGUMENT, "%s", saved.file.error().text().c_str());
    copy_text(orrery::host::describe(saved).c_str(), report, report_size);
    return ORRERY_OK;
  });
}
