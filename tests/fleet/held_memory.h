// Counts the bytes that the server side of a run has allocated and not freed.
#pragma once

#include <cstdint>

namespace orrery::fleet {

// A scope in which the allocations of this thread count as the server's.
class CountsAsServer {
 public:
  CountsAsServer();
  ~CountsAsServer();
  CountsAsServer(const CountsAsServer&) = delete;
  CountsAsServer& operator=(const CountsAsServer&) = delete;
};

// A scope inside CountsAsServer in which allocations do not count, for test code that the server
// calls.
class CountsAsTest {
 public:
  CountsAsTest();
  ~CountsAsTest();
  CountsAsTest(const CountsAsTest&) = delete;
  CountsAsTest& operator=(const CountsAsTest&) = delete;

 private:
  const bool was_counting_;
};

// Returns the bytes that the server has allocated on this thread, minus those that it has freed.
std::int64_t held_by_server();

}  // namespace orrery::fleet
