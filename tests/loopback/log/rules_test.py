#!/usr/bin/env python3
# Tests logs of other rules: every error names the commit that verifies them, and the table of rules
# is correct.
"""usage: rules_test.py FOLDER_OF_PROGRAMS"""

import re
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import BINARIES, ROOT, Cli
from session_log import PREAMBLE_BYTES, log_of, records_of

LOGS = ROOT / "tests" / "golden" / "logs"
HERE = int(re.search(r"kRulesVersion = (\d+);",
                     (ROOT / "common/core/versions.h").read_text())[1])
TABLE = [(int(rules), commit) for rules, commit in
         re.findall(r'\{(\d+), "([^"]*)"\}',
                    (ROOT / "common/session/versions.h").read_text())]
OLD = LOGS / "rules-3-format-2.orrery"


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True,
                          timeout=60, check=False)


class Table(unittest.TestCase):
    def test_there_is_a_row_for_each_version(self):
        self.assertEqual([row[0] for row in TABLE], list(range(1, HERE + 1)))

    def test_the_page_has_the_same_rows(self):
        page = (ROOT / "schema" / "log.md").read_text()
        rows = re.findall(r"^\| (\d+) \| (`[0-9a-f]{12}`|this one) \|", page, re.MULTILINE)
        self.assertEqual([(int(rules), "" if commit == "this one" else commit.strip("`"))
                          for rules, commit in rows], TABLE)
        rules, commit = re.search(r"git worktree add ../orrery-rules-(\d+) ([0-9a-f]+) ",
                                  page).groups()
        self.assertIn((int(rules), commit), TABLE)

    def test_each_commit_has_these_rules(self):
        """Skipped if the git history is not available."""
        for rules, commit in TABLE[:-1]:
            found = git("show", f"{commit}:common/core/versions.h")
            if found.returncode != 0:  # in older commits the file was in another folder
                found = git("show", f"{commit}:common/session/versions.h")
            if found.returncode != 0:
                self.skipTest(f"the history of rules {rules} is not here")
            self.assertIn(f"kRulesVersion = {rules};", found.stdout, commit)
            ancestor = git("merge-base", "--is-ancestor", commit, "HEAD")
            self.assertEqual(ancestor.returncode, 0, commit)


class Refusals(Cli):
    def orreryd(self, *arguments):
        return subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", *arguments],
                              capture_output=True, timeout=60, cwd=self.folder, check=False)

    def refuse_everywhere(self, log, why):
        """Checks that the verbs that step the log reject it with one line that gives the reason."""
        for verb in (["verify", log], ["fork", log, "--at", 9, "--set", "gravity=0,0,0", "-o", "x"],
                     ["plot", log, "-o", "x.svg"]):
            self.refuse(*verb, naming=f"{log.name}: was recorded under {why}")
        # Make a log that is not closed. The packed log needs no cut, because its second segment is
        # missing here.
        cut = 400 if "sealed" in log.name else 0 if "packed" in log.name else 1
        whole = log.read_bytes()
        torn = self.write(f"torn-{log.name}", whole[:len(whole) - cut])
        done = self.orreryd("--resume", torn)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(f"{torn.name}: was recorded under {why}", done.stderr.decode())
        self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_of_older_rules(self):
        for rules, commit in TABLE[:-1]:
            for golden in LOGS.glob(f"rules-{rules}[-.]*orrery"):
                log = self.folder / golden.name
                shutil.copy(golden, log)
                why = f"rules {rules}; this build has rules {HERE}; commit {commit} verifies it"
                self.refuse_everywhere(log, why + "; here log info, log check, log export and "
                                       "replay --at its checkpoints work\n")
                self.refuse("replay", log, "--at", 10,
                            naming=f"was recorded under {why}; this build can read ")
                self.assertIn(f"recorded under {why}\n", self.succeed("replay", log))
                self.assertIn(f"recorded under {why}\n", self.succeed("log", "info", log))
                done = self.orrery("log", "export", "--csv", log)
                self.assertEqual(done.returncode, 0)
                self.assertIn(f"recorded under {why}; only the states of its checkpoints are "
                              "printed", done.stderr.decode())

    def test_what_the_lines_name_works(self):
        for golden in LOGS.glob("rules-*.orrery"):
            for verb in (["log", "info"], ["log", "check"], ["log", "export"], ["replay"],
                         ["diff", golden]):
                self.succeed(*verb, golden)
            self.succeed("log", "repair", golden, "-o", f"copy of {golden.name}")
        state = self.json("replay", OLD, "--at", 600, "--bodies")
        self.assertEqual((state["tick"], state["hash"]), (600, "0x08c2852dc127021f"))
        states = self.json("replay", OLD, "--from", 600, "--to", 0, "--every", 600)["states"]
        self.assertEqual([state["tick"] for state in states], [600, 0])

    def test_diff_names_what_steps_the_log(self):
        newest = LOGS / f"rules-{HERE}-format-8.orrery"
        done = self.orrery("diff", OLD, newest if newest.exists() else LOGS /
                           "rules-5-format-4.orrery")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"commit {TABLE[2][1]} verifies it", done.stdout.decode())

    def test_of_newer_rules(self):
        """A log whose header names rules of a later version."""
        whole = self.record(20).read_bytes()
        records = records_of(whole)
        payload = bytearray(records[0][1])
        table = struct.unpack_from("<I", payload)[0]  # FlatBuffers: offset of the root table
        fields = table - struct.unpack_from("<i", payload, table)[0]
        at = table + struct.unpack_from("<H", payload, fields + 4)[0]
        self.assertEqual(struct.unpack_from("<I", payload, at)[0], HERE)
        struct.pack_into("<I", payload, at, HERE + 3)
        records[0][1] = bytes(payload)
        log = self.write("newer", log_of(whole[:PREAMBLE_BYTES], records))
        why = f"rules {HERE + 3}; this build has rules {HERE}; a newer build verifies it"
        self.refuse_everywhere(log, why + "\n")
        self.refuse("replay", log, "--at", 10,
                    naming=f"was recorded under {why}; this build can read ")
        self.assertIn(f"recorded under {why}\n", self.succeed("log", "info", log))
        scene = payload.index(b"ORSC")
        payload[scene:scene + 4] = b"ORSX"
        records[0][1] = bytes(payload)
        log = self.write("newer", log_of(whole[:PREAMBLE_BYTES], records))
        self.refuse("log", "info", log, naming=f"; it was recorded under {why}\n")


if __name__ == "__main__":
    unittest.main()
