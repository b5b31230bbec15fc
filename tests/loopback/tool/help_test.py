#!/usr/bin/env python3
# Tests the help of every verb of `orrery`, and that its examples work as printed.
"""usage: help_test.py FOLDER_OF_PROGRAMS"""

import os
import re
import shlex
import socket
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import BINARIES, Cli

# Examples that find a problem on purpose, and therefore exit with code 1.
FIND_A_DIFFERENCE = {"orrery verify a.orrery b.orrery --jobs 2 --json",
                     "orrery verify b.orrery --report b.html",
                     "orrery diff a.orrery b.orrery",
                     "orrery diff a.orrery c.orrery",
                     "orrery diff a.orrery b.orrery --report diff.html"}
FILM = BINARIES.parent / "share/orrery/web/film.html"
# Examples that take many seconds. Only their options are checked.
LONG = {"orrery lab claims", "orrery lab claims --thorough"}


class Help(Cli):
    def verbs(self, *path):
        """Returns all verbs, each followed by its own verbs, in the order of the help."""
        text = self.succeed(*path, "--help")
        yield path, text
        listed = text.partition("\nVerbs:\n")[2].partition("\n\n")[0]
        for name in re.findall(r"(?m)^  ([a-z-]+)(?: |$)", listed):
            yield from self.verbs(*path, name)

    def examples(self):
        """Returns each example once, without its comment, together with the help of its verb."""
        helps = {path: text for path, text in self.verbs()}
        seen = set()
        for path, text in helps.items():
            lines = re.findall(r"(?m)^  (orrery .*)$", text.partition("Examples:\n")[2])
            self.assertTrue(1 <= len(lines) <= (4 if path else 9), (path, lines))
            for line in lines:
                command = line.partition(" #")[0].rstrip()
                words = shlex.split(command)[1:]
                verb = tuple(words[:2]) if tuple(words[:2]) in helps else tuple(words[:1])
                self.assertEqual(verb[:len(path)], path, line)
                if command not in seen:
                    yield command, words, helps[verb]
                seen.add(command)

    def test_the_help_of_bot_explains_each_behaviour(self):
        text = self.succeed("bot", "--help")
        line = self.refuse("bot", "127.0.0.1:1", "--behaviour", "none", naming=" is no list of ")
        names = re.findall(r"[a-z]+", re.search("list of (.*), separated", line)[1])
        names.remove("and")
        self.assertEqual(len(names), 7, names)
        for name in names:
            self.assertRegex(text, rf"(?m)^ +{name} +[a-z]+,? ")

    def test_every_verb_has_examples_with_options_that_it_has(self):
        verbs = [path for path, _ in self.verbs()]
        self.assertGreater(len(verbs), 25, verbs)
        for path in (("run",), ("log", "info"), ("lab", "rotate"), ("token",)):
            self.assertIn(path, verbs)
        for command, words, text in self.examples():
            for word in words:
                if word.startswith("-"):
                    self.assertRegex(text, rf"(?m)^  (-\w,)?{word}\b|^  {word},", command)

    def shell(self, command):
        environment = {**os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}",
                       "XDG_RUNTIME_DIR": str(self.folder)}
        return subprocess.run(["sh", "-c", command], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=100, check=False)

    def test_examples_work_as_they_are(self):
        """Runs the examples without a server in the order of the help, as some write files that
        others read."""
        for key in ("seal.key", "orrery.key"):
            self.shell(f"umask 077; openssl rand -hex 32 > {key}")
        self.shell("orrery run tumble --log sealed.orrery --seal-key seal.key")
        ran = 0
        for command, words, _ in sorted(self.examples(), key=lambda each: "lab" in each[1]):
            if command in LONG or "127.0.0.1:4770" in words or "10.0.0.1:4770" in words[:2]:
                continue
            if words[0] == "film" and not FILM.exists():  # the page was not built
                continue
            done = self.shell(command)
            wanted = 1 if command in FIND_A_DIFFERENCE else 0
            self.assertEqual(done.returncode, wanted, (command, done.stdout, done.stderr))
            ran += 1
        self.assertGreater(ran, 30)

    def test_examples_that_need_a_server_say_that_there_is_none(self):
        """Runs the examples with an unused port. Their options must be accepted."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            commands = [command for command, words, _ in self.examples()
                        if words[0] in ("bot", "watch") and "--token" not in words]
            self.assertGreater(len(commands), 4)
            for command in commands:
                done = self.shell(command.replace(":4770", f":{port}"))
                self.assertEqual(done.returncode, 1, (command, done.stderr))
                self.assertRegex(done.stderr, rf"\Aorrery: .*{port}.*\n\Z", command)


if __name__ == "__main__":
    unittest.main()
