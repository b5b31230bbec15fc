// The progress bar of long commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace orrery::host {

// A progress bar on stderr. It draws only on a terminal, at most ten times a second.
class ProgressBar {
 public:
  // `total` is the amount of work; 0 if it is unknown, and then nothing is drawn.
  ProgressBar(std::string title, std::uint64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Shows that `done` of the total is done.
  void show(std::uint64_t done);

  // Clears the line for other output until the next draw.
  void clear();

 private:
  void draw(std::uint64_t done, double seconds);

  const std::string title_;
  const std::uint64_t total_;
  const bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point drawn_at_;
};

}  // namespace orrery::host
