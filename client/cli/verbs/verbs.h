// Declares the verbs of `orrery`. Each verb has its own file or folder. The function of a verb adds
// the verb to the program: its name, options, examples, and the function that runs it.
#pragma once

#include "client/cli/command_line/arguments.h"

namespace orrery::cli {

void add_bot(Verb& program);
void add_codec(Verb& program);
void add_diff(Verb& program);
void add_draw(Verb& program);
void add_film(Verb& program);
void add_fork(Verb& program);
void add_lab(Verb& program);
void add_log(Verb& program);
void add_netsim(Verb& program);
void add_plot(Verb& program);
void add_record_frames(Verb& program);
void add_replay(Verb& program);
void add_run(Verb& program);
void add_scenes(Verb& program);
void add_token(Verb& program);
void add_verify(Verb& program);
void add_watch(Verb& program);

}  // namespace orrery::cli
