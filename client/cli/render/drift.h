// Measures how energy and momentum change over a session.
#pragma once

#include <string>

#include "client/cli/log_input.h"
#include "common/world/report/conserved.h"

namespace orrery::cli {

// The energy and momenta of a session, at the start, at each checkpoint and at the last tick.
class Drift {
 public:
  // `initial` is the world at the start of the session, made from the header.
  Drift(const codec::LogHeader& header, World initial);

  // Adds a checkpoint of this log. `hash` is the recorded hash of its tick.
  void add(const session::Checkpoint& checkpoint, std::uint64_t hash);

  // Steps from the last checkpoint to the last tick, with a progress bar on a terminal. An Error
  // means that the log could not be read.
  Status step_to(Tick last, const std::string& path);

  // Returns why the result is incomplete; empty if it is complete.
  const std::string& unknown() const { return unknown_; }

  json::Text json() const;
  void print() const;

 private:
  struct At {
    Tick tick;
    Conserved kept;
  };
  static json::Text to_json(const At& at);

  void add(const World& world);

  World world_;  // at the last checkpoint
  At first_;
  At last_;
  double energy_ = 0;  // largest changes since the start
  double momentum_ = 0;
  double angular_momentum_ = 0;
  std::string unknown_;
};

}  // namespace orrery::cli
