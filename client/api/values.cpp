// Gives the values of a session, and the notices of a client.
#include <span>

#include "client/api/client_handle.h"
#include "client/api/commands.h"
#include "client/api/structs.h"

namespace orrery::api {
namespace {

std::int32_t write_values(Handle& handle, std::span<const NamedValue> all, orrery_value* values,
                          std::uint32_t capacity, std::uint32_t* count) {
  if (count == nullptr) return fail(handle, ORRERY_BAD_ARGUMENT, "count is null");
  *count = static_cast<std::uint32_t>(all.size());
  return give_list(handle, all, values, capacity, "value", [](const NamedValue& v) {
    orrery_value value{};
    value.key_size = bytes_out(v.key, value.key);
    value.bytes_size = bytes_out(v.value, value.bytes);
    return value;
  });
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_world_values(orrery_world* world, orrery_value* values, uint32_t capacity,
                            uint32_t* count) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    return write_values(w, w.world().controls().values, values, capacity, count);
  });
}

int32_t orrery_client_values(orrery_client* client, orrery_value* values, uint32_t capacity,
                             uint32_t* count) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    const orrery::client::Connection* const connection = c.client().connection();
    if (connection == nullptr) return write_values(c, {}, values, capacity, count);
    return write_values(c, connection->messages().values(), values, capacity, count);
  });
}

int32_t orrery_client_notices(orrery_client* client, orrery_notice* notices, uint32_t capacity,
                              uint32_t* count) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (count == nullptr) return fail(c, ORRERY_BAD_ARGUMENT, "count is null");
    *count = 0;
    const std::int32_t code = check_rows(c, notices, capacity, "notice", false);
    if (code != ORRERY_OK) return code;
    // Takes new ones only when all earlier ones are read, as for events.
    if (c.notices.empty()) {
      for (const auto& notice : c.client().arrivals().take_notices()) c.notices.push_back(notice);
    }
    if (c.notices.empty()) return ORRERY_END;
    for (; *count < capacity && !c.notices.empty(); ++*count) {
      orrery_notice to{};
      to.tick = c.notices.front().tick.value;
      to.bytes_size = bytes_out(c.notices.front().text, to.bytes);
      write_struct(Rows(notices)[*count], to);
      c.notices.pop_front();
    }
    return ORRERY_OK;
  });
}
