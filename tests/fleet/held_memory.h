// Owns the count of the bytes that the server side of a run has allocated and not given back.
#pragma once

#include <cstdint>

namespace orrery::fleet {

// While one of these is, what this thread allocates and frees counts as the server's.
class CountsAsServer {
 public:
  CountsAsServer();
  ~CountsAsServer();
  CountsAsServer(const CountsAsServer&) = delete;
  CountsAsServer& operator=(const CountsAsServer&) = delete;
};

// And while one of these is, it does not: the test itself is at work in the middle of the server.
class CountsAsTest {
 public:
  CountsAsTest();
  ~CountsAsTest();
  CountsAsTest(const CountsAsTest&) = delete;
  CountsAsTest& operator=(const CountsAsTest&) = delete;

 private:
  const bool was_counting_;
};

// Bytes, of this thread, since it started.
std::int64_t held_by_server();

}  // namespace orrery::fleet
