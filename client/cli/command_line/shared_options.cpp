// Implements options that several verbs have.
#include "client/cli/command_line/shared_options.h"

#include "common/core/limits.h"

namespace orrery::cli {

void add_json(Verb& verb, bool& json) {
  verb.flag("--json", json, "Print the result as one JSON object");
}

void add_log_argument(Verb& verb, std::string& log) {
  verb.option("LOG", log, "Session log: its first file").required();
}

void add_threads(Verb& verb, std::uint32_t& threads) {
  verb.option("--threads", threads, "Most threads for a tick. The result does not depend on them")
      .shows_default()
      .whole_number(1, limits::kThreadsMax)
      .type("N");
}

void add_commands(Verb& verb, std::string& commands, const std::string& about) {
  verb.option("--commands", commands, about).given().type("FILE");
}

Option add_seal_key(Verb& verb, std::string& path, const std::string& about) {
  return verb.option("--seal-key", path, about).given().type("FILE");
}

Option add_new_file(Verb& verb, const std::string& name, std::string& path,
                    const std::string& about) {
  return verb.option(name, path, about + ". The file must not exist").given().type("FILE");
}

// Refuses a name that does not end in .html. A mistyped command then never replaces a log.
Option add_page(Verb& verb, const std::string& name, std::string& path, const std::string& about) {
  const auto is_page = [](const std::string& file) {
    return file.ends_with(".html") ? "" : file + " must end in .html";
  };
  return verb.option(name, path, about + ". An existing file is replaced")
      .given()
      .check(is_page)
      .type("FILE.html");
}

void add_report(Verb& verb, std::string& report) {
  add_page(verb, "--report", report,
           "Write a film that opens at the first difference, with tables, to this file");
}

void add_server(Verb& verb, std::string& server) {
  verb.option("ADDR:PORT", server, "Address of the server").required();
}

void add_access(Verb& verb, client::AccessOptions& options) {
  const Option key = verb.option("--key-file", options.key_file,
                                 "Make the connect token with the key in this file")
                         .shows_default("the key of a server that you run on this machine")
                         .type("FILE");
  verb.option("--token", options.token, "Connect with the token in this file")
      .type("FILE")
      .excludes(key);
}

}  // namespace orrery::cli
