// Owns the progress bar of long commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace orrery {

// Draws on stderr, and only if that is a terminal; at most ten times a second.
class ProgressBar {
 public:
  // `total` 0: how much there is to do is not known.
  ProgressBar(std::string title, std::uint64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::uint64_t done);

  // Leaves the line empty, for something else, until it is drawn again.
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

}  // namespace orrery
