// Files of frames, read whole.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/frame_file.h"
#include "common/host/disk/file.h"
#include "common/host/disk/packing/zstd_stream.h"

namespace orrery::bench {

// The frames of a file. All have as many slots as the last one.
struct FrameSet {
  codec::DeltaScene scene;
  std::vector<cli::RecordedFrame> frames;
};

// Returns the frames of a file. Ends the process with an error of `program` if it has none.
inline FrameSet read_frame_set(const char* program, const std::string& path) {
  const auto refuse = [&](const Error& error) {
    std::fprintf(stderr, "%s: %s: %s\n", program, path.c_str(), error.message.c_str());
    std::exit(2);
  };
  auto file = host::FileSource::open(path);
  if (!file) refuse(file.error());
  auto reader = cli::FrameReader::open(std::make_unique<host::ZstdSource>(std::move(file.value())));
  if (!reader) refuse(reader.error());
  FrameSet set;
  cli::RecordedFrame frame;
  for (;;) {
    const Result<bool> read = reader.value().next(frame);
    if (!read) refuse(read.error());
    if (!read.value()) break;
    set.frames.push_back(frame);
  }
  set.scene = reader.value().scene();
  for (cli::RecordedFrame& f : set.frames) f.frame.bodies.resize(set.scene.slots);
  return set;
}

}  // namespace orrery::bench
