// Draws the progress bar.
#include "common/host/process/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "common/core/assert.h"

namespace orrery::host {
namespace {

constexpr double kSecondsBetween = 0.1;

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

ProgressBar::ProgressBar(std::string title, std::uint64_t total)
    : title_(std::move(title)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) == 1),
      started_(std::chrono::steady_clock::now()),
      drawn_at_(started_) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void ProgressBar::show(std::uint64_t done) {
  if (!terminal_ || total_ == 0) return;
  if (seconds_since(drawn_at_) < kSecondsBetween) return;
  drawn_at_ = std::chrono::steady_clock::now();
  draw(std::min(done, total_), seconds_since(started_));
}

void ProgressBar::draw(std::uint64_t done, double seconds) {
  constexpr int kWidth = 30;
  ORRERY_ASSERT(done <= total_);
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const int filled = static_cast<int>(share * kWidth);
  const double left = share > 0 ? seconds / share - seconds : 0;
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(kWidth - filled), '.');
  std::fprintf(stderr, "\r\033[K%s [%s] %3.0f %%  %.0f s left", title_.c_str(), bar.c_str(),
               share * 100, left);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace orrery::host
