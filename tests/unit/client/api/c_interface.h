// Makes handles of the C interface for tests, and destroys them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "client/api/orrery.h"

namespace orrery::test {

struct DestroyHandle {
  void operator()(orrery_world* world) const { orrery_world_destroy(world); }
  void operator()(orrery_log* log) const { orrery_log_destroy(log); }
  void operator()(orrery_client* client) const { orrery_client_destroy(client); }
};
using WorldHandle = std::unique_ptr<orrery_world, DestroyHandle>;
using LogHandle = std::unique_ptr<orrery_log, DestroyHandle>;
using ClientHandle = std::unique_ptr<orrery_client, DestroyHandle>;

// Returns a struct of the header with its size set.
template <class S>
S sized() {
  S s{};
  s.size = sizeof(S);
  return s;
}

// Returns a world of a built-in scene.
inline WorldHandle world_of(const std::string& name) {
  orrery_world* world = nullptr;
  char why[512];
  EXPECT_EQ(orrery_world_from_name(name.c_str(), &world, why, sizeof why), ORRERY_OK) << why;
  return WorldHandle(world);
}

// Returns a world of a scene as text.
inline WorldHandle world_of_json(const std::string& json) {
  orrery_world* world = nullptr;
  char why[512];
  EXPECT_EQ(orrery_world_from_json(json.data(), json.size(), &world, why, sizeof why), ORRERY_OK)
      << why;
  return WorldHandle(world);
}

inline orrery_world_info info_of(orrery_world* world) {
  auto info = sized<orrery_world_info>();
  EXPECT_EQ(orrery_get_world_info(world, &info), ORRERY_OK);
  return info;
}

inline std::string error_of(const void* handle) {
  char text[512];
  orrery_last_error(handle, text, sizeof text);
  return text;
}

// Returns a command that lets client 1 join as admin.
inline orrery_command join() {
  auto command = sized<orrery_command>();
  command.kind = ORRERY_JOIN;
  command.subject = 1;
  command.role = ORRERY_ADMIN;
  return command;
}

// Returns a command of client 1.
inline orrery_command command_on(std::int32_t kind, std::uint32_t subject, float x, float y,
                                 float z) {
  auto command = sized<orrery_command>();
  command.kind = kind;
  command.client = 1;
  command.subject = subject;
  command.first[0] = x;
  command.first[1] = y;
  command.first[2] = z;
  return command;
}

// Returns the numbers of one body in binary64.
inline std::vector<double> numbers_of(orrery_world* world, std::uint32_t id, std::uint32_t what) {
  std::vector<double> row(13);
  EXPECT_EQ(orrery_world_read(world, &id, what | ORRERY_DOUBLE, row.data(), 13 * sizeof(double), 1),
            ORRERY_OK)
      << error_of(world);
  return row;
}

}  // namespace orrery::test
