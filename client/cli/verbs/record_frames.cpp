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
#include "common/host/disk/zstd_stream.h"
#include "common/host/process/terminal.h"
#include "common/session/replay/replay.h"

namespace orrery::cli {
namespace {

struct RecordOptions {
  std::string log;
  std::string out;
  bool json = false;
};

int record_frames(const RecordOptions& options) {
  int exit_code = 0;
  Result<LogInput> log = open_log(options.log, &exit_code);
  if (!log) return unusable(log.error().message, exit_code);
  const std::string name = printable(options.log) + ": ";
  Result<World> made = session::initial_world(log.value().header);
  if (!made) return unusable(name + made.error().message);
  World& world = made.value();

  const codec::DeltaScene scene = codec::delta_scene_of(world.scene());
  host::ZstdPacker packer;
  std::vector<std::uint8_t> bytes;
  encode_frame_header(scene, bytes);
  packer.append(bytes);
  RecordedFrame frame;
  SerialExecutor executor;
  host::ProgressBar progress("record " + printable(options.log, 40), log.value().file->size());
  const Status replayed = session::replay_to(*log.value().reader, log.value().header, world,
                                             executor, Tick{~std::uint64_t{0}}, [&] {
                                               codec::quantise(world, scene.grid, frame.frame);
                                               codec::find_references(world, frame.references);
                                               bytes.clear();
                                               encode_frame(frame, bytes);
                                               packer.append(bytes);
                                               progress.show(log.value().reader->bytes_read());
                                             });
  const session::LogTail& tail = log.value().reader->tail();
  if (tail.unreadable) return unusable(tail.unreadable->message);
  if (!replayed) return unusable(name + replayed.error().message, 1);
  const std::vector<std::uint8_t> packed = packer.finish();
  const std::string content(packed.begin(), packed.end());
  if (const Status written = replace_file(options.out, content); !written) {
    return unusable("-o: " + written.error().message);
  }
  if (options.json) {
    std::printf("%s\n", json::Object()
                            .add("file", json::of(std::string_view(options.out)))
                            .add("frames", json::of(world.tick().value))
                            .add("bytes", json::of(packed.size()))
                            .text()
                            .c_str());
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
