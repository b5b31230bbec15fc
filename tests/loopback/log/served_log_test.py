# Tests every verb on the log of a real session that was sealed, killed, resumed and closed.
import csv
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.append(sys.path[0] + "/../support")
from notes import notes_of
from orrery_server import BINARIES, Server, fields_of, run, tool
from report_page import report_of

def told(*verb, code=0):
    """Returns the JSON object that a verb prints."""
    found, out, err = tool(*verb, "--json")
    assert found == code and re.match(notes_of(verb), err), (verb, found, out, err)
    return json.loads(out)


def said(*verb, code=0):
    found, out, err = tool(*verb)
    assert found == code and re.match(notes_of(verb), err), (verb, found, out, err)
    return out


def play_and_crash(server):
    """Plays and kills the server. Returns the tick from which the resumed server continues. The log
    is kept in the state after the crash."""
    bots = subprocess.Popen([BINARIES / "orrery", "bot", server.name, "--count", "4", "--seconds",
                             "600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while server.durable_tick() < 60:
        pass
    server.end(signal.SIGKILL)
    bots.kill()
    bots.wait()
    shutil.copy(LOG, CRASHED)
    server.resume("--seal-key", KEY)
    behind = int(fields_of(server.wait_for(" session resumed "))["tick"])
    code, _, err = tool("bot", server.name, "--count", 4, "--seconds", 2)
    assert code == 0, err
    code, err = server.end()
    assert code == 0, err
    return behind


def lines_of(log):
    """Returns the exported lines of each tick."""
    return [json.loads(line) for line in said("log", "export", log).splitlines()[1:]]


def verify_finds_every_tick_equal():
    found = told("verify", LOG)
    assert found["verified"] == found["ticks"] == LAST and not found["torn"], found
    assert found["hash"] == HASHES[LAST] and found["first_divergent_tick"] is None, found
    found = told("verify", CRASHED)
    assert found["verified"] == CRASH and found["torn"], found
    several = told("verify", "-j", 2, LOG, CRASHED, LOG)
    assert [log["ticks"] for log in several["logs"]] == [LAST, CRASH, LAST], several
    assert said("verify", "-j", 3, LOG, LOG).count(f"session.orrery: {LAST} ticks verified") == 2


def replay_goes_to_any_tick_both_ways():
    for tick in (0, 1, CRASH, CRASH + 1, LAST):
        state = told("replay", LOG, "--at", tick, "--bodies")
        assert state["tick"] == tick and len(state["bodies"]) >= 45, state
        assert tick == 0 or state["hash"] == HASHES[tick], (tick, state["hash"])
    first = CRASH - 20
    ways = [told("replay", LOG, "--from", a, "--to", b, "--every", 10, "--bodies")["states"]
            for a, b in ((first, first + 40), (first + 40, first))]
    assert ways[0] == ways[1][::-1], ways
    assert [state["hash"] for state in ways[0]] == [HASHES[first + i] for i in range(0, 50, 10)]
    assert told("replay", LOG)["closed"]


def log_verbs_agree_about_it():
    given = [command for line in LINES for command in line["commands"]]
    info = told("log", "info", LOG)
    assert (info["ticks"], info["commands"]) == (LAST, len(given)), info
    assert info["drift"]["unknown"] is None and info["drift"]["last"]["tick"] == LAST, info
    joined = FOLDER / "joined"
    said("log", "export", "--single", LOG, "-o", joined)
    for log, segments in ((LOG, 2), (joined, 1)):
        found = told("log", "check", log, "--seal-key", KEY)
        assert (found["segments"], found["ticks"], found["damaged"]) == (segments, LAST, False)
        assert (found["seal"], found["sealed_ticks"]) == ("intact", LAST), found
        assert found["sealed_at_resume"] == [{"from": 1, "to": CRASH}], found
        assert not told("log", "check", log)["torn"]
    assert told("diff", LOG, joined)["equal_ticks"] == LAST
    assert told("log", "check", CRASHED, "--seal-key", KEY, code=1)["seal"] == (
        "unfinished")
    repaired = told("log", "repair", CRASHED, "-o", FOLDER / "repaired")
    assert (repaired["ticks"], repaired["hash"]) == (CRASH, HASHES[CRASH]), repaired
    assert lines_of(FOLDER / "repaired") == LINES[:CRASH]


def csv_has_the_states_that_replay_has():
    rows = list(csv.DictReader(said("log", "export", LOG, "--csv", "--every", 50).splitlines()))
    assert sorted({int(row["tick"]) for row in rows}) == list(range(0, LAST + 1, 50))
    bodies = told("replay", LOG, "--at", 50, "--bodies")["bodies"]
    assert [float(row["velocity.x"]) for row in rows if row["tick"] == "50"] == [
        body["velocity"][0] for body in bodies]


def plot_draws_it():
    picture = FOLDER / "drift.svg"
    assert told("plot", LOG, "-o", picture)["ticks"] == LAST
    text = " ".join(xml.etree.ElementTree.parse(picture).getroot().itertext())
    assert f"playground, {LAST} ticks" in " ".join(text.split()), text


def run_from_its_commands(log, *options):
    return told("run", "playground", "--ticks", LAST, "--commands", EXPORT, "--log", log, *options)


def its_commands_give_the_same_session():
    again = FOLDER / "again"
    assert run_from_its_commands(again)["hash"] == HASHES[LAST]
    found = told("diff", LOG, again)
    assert (found["equal"], found["equal_ticks"]) == (True, LAST), found


def a_fork_is_another_session_from_there_on():
    fork = FOLDER / "fork"
    told("fork", LOG, "--at", CRASH, "--set", "gravity=0,1,0", "-o", fork)
    assert told("verify", fork)["verified"] == LAST
    found = told("diff", LOG, fork, code=1)
    assert (found["tick"], found["cause"]) == (CRASH + 1, "commands"), found
    longer = FOLDER / "longer"
    told("fork", LOG, "--at", LAST, "--ticks", LAST + 90, "-o", longer)
    assert told("verify", longer)["verified"] == LAST + 90
    found = told("diff", LOG, longer, code=1)
    assert (found["tick"], found["cause"]) == (LAST + 1, "length"), found


def tick_with_commands():
    """Returns a tick in the middle that has commands only of clients."""
    return next(line["tick"] for line in LINES if line["tick"] > CRASH + 10 and line["commands"]
                and all(command["client"] for command in line["commands"]))


def a_fork_without_the_commands_of_a_tick():
    tick = tick_with_commands()
    lines = [{**line, "commands": []} if line["tick"] == tick else line for line in LINES]
    changed = FOLDER / "changed.jsonl"
    changed.write_text("".join(json.dumps(line) + "\n" for line in lines))
    fork = FOLDER / "without"
    told("fork", LOG, "--at", tick - 1, "--commands", changed, "-o", fork)
    found = told("diff", LOG, fork, code=1)
    assert (found["tick"], found["cause"], found["commands_b"]) == (tick, "commands", []), found
    assert len(found["commands_a"]) == len(LINES[tick - 1]["commands"]), found


def what_was_broken_is_named():
    tick, broken, page = CRASH + 30, FOLDER / "broken", FOLDER / "page.html"
    body = next(body["id"] for body in told("replay", LOG, "--at", tick, "--bodies")["bodies"]
                if all(body["velocity"]))
    fault = f"ulp@{tick}:{body}.velocity.y"
    run_from_its_commands(broken, "--break", fault)
    found = told("verify", broken, code=1)
    assert (found["first_divergent_tick"], found["verified"]) == (tick, tick - 1), found
    for divergence in (found["divergence"], told("diff", LOG, broken, code=1)):
        assert (divergence["tick"], divergence["body"], divergence["field"], divergence["ulps"],
                divergence["cause"]) == (tick, body, "velocity.y", 1, "break"), divergence
    for verb in (("verify", broken), ("diff", LOG, broken)):
        assert f"body {body}, velocity.y" in said(*verb, "--report", page, code=1)
        text = report_of(page)
        assert f"Divergence at tick {tick}" in text and fault in text and "<svg" in text
        page.unlink()
    skipped, tick = FOLDER / "skipped", tick_with_commands()
    run_from_its_commands(skipped, "--break", f"skip@{tick}")
    found = told("diff", LOG, skipped, code=1)
    assert (found["tick"], found["cause"]) == (tick, "break"), found


with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
    FOLDER = pathlib.Path(name)
    KEY, CRASHED, EXPORT = FOLDER / "seal.key", FOLDER / "crashed", FOLDER / "export.jsonl"
    KEY.touch(0o600)
    KEY.write_text("5c" * 32 + "\n")
    with Server("--seal-key", KEY) as played:
        LOG = played.log
        CRASH = play_and_crash(played)
        EXPORT.write_text(said("log", "export", LOG))
        LINES = lines_of(LOG)
        LAST = len(LINES)
        HASHES = {line["tick"]: line["hash"] for line in LINES}
        run([verify_finds_every_tick_equal, replay_goes_to_any_tick_both_ways,
             log_verbs_agree_about_it, csv_has_the_states_that_replay_has, plot_draws_it,
             its_commands_give_the_same_session, a_fork_is_another_session_from_there_on,
             a_fork_without_the_commands_of_a_tick, what_was_broken_is_named])
