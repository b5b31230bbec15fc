// Owns what became of energy and momenta over a session.
#pragma once

#include <string>

#include "client/cli/log_input.h"
#include "common/world/report/conserved.h"

namespace orrery::cli {

// What is kept at the start, at each checkpoint and at the last tick.
class Drift {
 public:
  // `initial`: what this build makes of the header.
  Drift(const codec::LogHeader& header, World initial);

  // Of a checkpoint of this log, behind a tick of `hash`.
  void add(const session::Checkpoint& checkpoint, std::uint64_t hash);

  // Steps from the last checkpoint to the last tick; draws how far it is, on a terminal. An Error
  // is a read that failed.
  Status step_to(Tick last, const std::string& path);

  // Why not all of it is known; empty if it is.
  const std::string& unknown() const { return unknown_; }

  std::string json() const;
  void print() const;

 private:
  struct At {
    Tick tick;
    Conserved kept;
  };
  static std::string to_json(const At& at);

  void add(const World& world);

  World world_;  // of the last checkpoint
  At first_;
  At last_;
  double energy_ = 0;  // the furthest from the first
  double momentum_ = 0;
  double angular_momentum_ = 0;
  std::string unknown_;
};

}  // namespace orrery::cli
