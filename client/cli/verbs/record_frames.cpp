// Implements `orrery record-frames`: writes the bodies of every tick of a session, rounded as the
// delta codec rounds them.
#include <cstdio>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/frame_file.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/output_file.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/codec/delta/world_frame.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/host/disk/packing/zstd_stream.h"
#include "common/host/process/stop_signal.h"
#include "common/host/process/terminal.h"
#include "common/session/replay/replay.h"

namespace orrery::cli {
namespace {

struct RecordOptions {
  std::string log;
  std::string out;
  bool json = false;
};

// A compressed file of frames, written while the session is replayed.
class FrameWriter {
 public:
  FrameWriter(NewFile& file, const Scene& scene)
      : file_(file), scene_(codec::delta_scene_of(scene)) {
    encode_frame_header(scene_, codec::radii_of(scene, scene_.grid), bytes_);
    store();
  }

  void add(const World& world) {
    codec::quantise(world, scene_.grid, frame_.frame);
    codec::find_references(world, frame_.references);
    encode_frame(frame_, bytes_);
    store();
  }

  Status complete() {
    packer_.finish();
    store();
    return written_ ? file_.complete() : written_;
  }

  // Returns the first failure to write.
  const Status& written() const { return written_; }
  std::uint64_t size() const { return size_; }  // bytes of the file

 private:
  void store() {
    if (!bytes_.empty()) packer_.append(bytes_);
    bytes_.clear();
    const std::vector<std::uint8_t> packed = packer_.take();
    if (written_) written_ = file_.append(packed);
    size_ += packed.size();
  }

  NewFile& file_;
  const codec::DeltaScene scene_;
  host::ZstdPacker packer_;
  RecordedFrame frame_;
  std::vector<std::uint8_t> bytes_;
  std::uint64_t size_ = 0;
  Status written_ = ok_status();
};

// Replays the log tick by tick, so that a signal or a full disk ends it. Returns the error of the
// replay.
Status write_frames(LogInput& log, World& world, FrameWriter& out, const host::StopSignal& stop,
                    host::ProgressBar& progress) {
  SerialExecutor executor;
  Tick last = world.tick();
  do {
    last = world.tick();
    const Status replayed = session::replay_to(*log.reader, log.header, world, executor,
                                               Tick{last.value + 1}, [&] { out.add(world); });
    if (!replayed) return replayed;
    progress.show(log.reader->tail().complete_bytes);
  } while (world.tick() != last && out.written() && !stop.asked());
  return ok_status();
}

int record_frames(const RecordOptions& options) {
  Result<LogInput> log = open_log(options.log);
  if (!log) return refuse(log.error());
  const std::string name = printable(options.log) + ": ";
  Result<World> made = session::initial_world(log.value().header);
  if (!made) return unusable(name + made.error().text());
  World& world = made.value();
  const host::StopSignal stop;
  const auto file = NewFile::create(options.out);
  if (!file) return unusable("-o: " + file.error().text());
  FrameWriter out(*file.value(), world.scene());
  host::ProgressBar progress("record " + printable(options.log, 40), log.value().source->size());
  const Status replayed = write_frames(log.value(), world, out, stop, progress);
  const session::LogTail& tail = log.value().reader->tail();
  if (tail.unreadable) return unusable(tail.unreadable->text());
  if (!replayed) return unusable(name + replayed.error().text(), 1);
  if (stop.asked()) return unusable("record-frames: interrupted; no file was written", 1);
  if (const Status written = out.complete(); !written) {
    return unusable("-o: " + written.error().text());
  }
  if (options.json) {
    json::print(json::object(
        {{"file", options.out}, {"frames", world.tick().value}, {"bytes", out.size()}}));
  } else {
    std::printf("%s: %s\n", printable(options.out).c_str(),
                counted(world.tick().value, "frame").c_str());
  }
  return judge_end(options.log, tail);
}

}  // namespace

void add_record_frames(Verb& program) {
  auto [verb, options] = program.add_verb(
      "record-frames", "Write the bodies of each tick of a session to a file for `orrery codec`",
      "  orrery record-frames a.orrery -o a.frames.zst", record_frames);
  add_log_argument(verb, options.log);
  verb.option("-o", options.out,
              "File to write, compressed with zstd. An existing file is replaced")
      .required()
      .check([](const std::string& file) {  // so that a mistyped command never replaces a log
        return file.ends_with(".zst") ? "" : file + " must end in .zst";
      })
      .type("FILE.zst");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
