# Tests the pictures and tables of `orrery watch`, on a pseudo terminal and in a pipe.
import os
import pathlib
import re
import select
import signal
import socket
import sys
import tempfile
import threading

sys.path.append(sys.path[0] + "/../support")
import netcode
import protocol
from orrery_server import BINARIES, Server, run, tool
from pseudo_terminal import PseudoTerminal

BLOCKS = re.compile("[▂▄▆▌▘▝▖▗▚]")
DOTS = re.compile("[\u2801-\u28ff]")
TITLE = r"playground  tick \d+(?:\.\d)?  \d+ bodies  "

NAME = r"(?:crate|chain|cloth|pendulum) \d"  # some of the bodies have room for their names


def watch(server, *options, **environment):
    return PseudoTerminal([BINARIES / "orrery", "watch", server.name, *options], **environment)


class Relay:
    """Carries the datagrams between a server and one client, which has the token in `file`. If it
    lies, it damages all large reliable messages to the client, and seals them again."""

    def __init__(self, server, lies):
        self.server, self.lies, self.damaged = server, lies, 0
        self.token = netcode.Token(server.key, server.address)
        self.front, self.back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in "ab")
        self.front.bind(("127.0.0.1", 0))
        self.name = f"127.0.0.1:{self.front.getsockname()[1]}"
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.carry)

    def __enter__(self):
        with tempfile.NamedTemporaryFile(delete=False) as file:  # only its owner may read it
            file.write(self.token.public)
        self.file = file.name
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.front.close()
        self.back.close()
        pathlib.Path(self.file).unlink()

    def carry(self):
        client = None
        while not self.ended.is_set():
            for ready in select.select([self.front, self.back], [], [], 0.05)[0]:
                if ready is self.front:
                    data, client = self.front.recvfrom(2048)
                    self.back.sendto(data, self.server.address)
                else:
                    self.front.sendto(self.changed(self.back.recv(2048)), client)

    def changed(self, data):
        kind, sequence, text = self.token.unpack(data) or (None, None, b"")
        if not self.lies or kind != netcode.PAYLOAD or len(text) < 1000:
            return data
        if protocol.HEADER.unpack_from(text)[0] != protocol.RELIABLE:
            return data
        self.damaged += 1
        text = text[:100] + bytes(100) + text[200:]
        return self.token.pack(kind, sequence, text, self.token.to_client)


def ends_well(terminal):
    code, err = terminal.finish()
    assert (code, err) == (0, ""), (code, err)
    assert not terminal.pages, "the terminal still shows its alternate screen"
    assert terminal.said.endswith("\033[?25h\033[?1049l"), terminal.said[-100:]


def the_picture_has_bodies_and_follows_keys():
    with Server() as server, watch(server) as terminal:
        terminal.wait_for(TITLE + "front  fastest: ")
        assert terminal.pages
        terminal.wait_for(BLOCKS)
        terminal.press("t")
        terminal.wait_for(TITLE + "top")
        terminal.press("s")
        terminal.wait_for(TITLE + "side")
        terminal.press("\t")
        terminal.wait_for(r"at -?\d+\.\d{3} -?\d+\.\d{3} -?\d+\.\d{3}  speed ")
        terminal.press("?")
        terminal.wait_for("front, side, top")
        terminal.press("q")
        ends_well(terminal)
        assert "nan" not in terminal.said


def the_picture_moves_only_where_something_changes():
    """The scene tumble has three bodies that stay at their places."""
    with Server("--scene", "tumble") as server, watch(server) as terminal:
        terminal.wait_for("tumble  tick ")
        first = len(terminal.said)
        clears = terminal.clears
        tick = int(terminal.wait_for(r"tick (\d+)")[1])
        while int(terminal.wait_for(r"tick (\d+)")[1]) < tick + 60:
            terminal.read()
        whole = terminal.columns * terminal.rows
        written = len(re.sub(r"\033\[[?0-9;]*[A-Za-z]", "", terminal.said[first:]))
        assert written < 10 * whole, f"{written} characters in 60 ticks; a page has {whole}"
        assert terminal.clears == clears
        terminal.press("q")
        ends_well(terminal)


def a_new_size_is_used():
    with Server() as server, watch(server) as terminal:
        terminal.wait_for(TITLE)
        terminal.resize(120, 40)
        terminal.cells.clear()
        terminal.wait_for(TITLE)
        while terminal.cells.get((39, 119)) is None:  # the lower right corner
            assert terminal.read(10)
        terminal.resize(9, 2)
        while terminal.read(0.5) and len(terminal.cells) > 18:
            pass
        terminal.press("q")
        ends_well(terminal)


def signals_restore_the_terminal():
    for how in (signal.SIGINT, signal.SIGTERM):
        with Server() as server, watch(server) as terminal:
            terminal.wait_for(TITLE)
            os.kill(terminal.process.pid, how)
            ends_well(terminal)


def a_server_that_stops_is_named_below_the_picture():
    with Server() as server, watch(server) as terminal:
        terminal.wait_for(TITLE)
        server.end()
        terminal.wait_for("connecting again: the server at .* stopped")
        terminal.press("q")
        code, err = terminal.finish()
        assert code == 0 and "stopped" in err and not terminal.pages, (code, err)


def the_table_sorts_and_scrolls():
    with Server() as server, watch(server, "--table") as terminal:
        terminal.wait_for(TITLE)
        terminal.wait_for(r"^ +0 +-?\d+\.\d{4} ")
        terminal.press("\033[6~" * 3)
        terminal.wait_for(r"^ +44 +-?\d+\.\d{4} ")
        terminal.press("r")
        terminal.wait_for(">id")
        terminal.press("\033[C" * 2)
        terminal.wait_for(">y")
        numbers = re.compile(r"^ +\d+((?: +-?\d+\.\d{4}){5})")
        heights = [float(match[1].split()[1]) for line in terminal.lines()
                   if (match := numbers.match(line))]
        assert len(heights) == 21, terminal.lines()
        terminal.press("q")
        ends_well(terminal)


def once_prints_one_picture():
    with Server() as server:
        with watch(server, "--once", COLORTERM="truecolor") as terminal:
            code, err = terminal.finish()
            assert (code, err) == (0, ""), err
            assert "\033[?1049h" not in terminal.said and "\033[38;2;" in terminal.said
            assert terminal.said.count("\n") == 23, terminal.said
            assert BLOCKS.search(terminal.said)
        with watch(server, "--once", NO_COLOR="1") as terminal:
            assert terminal.finish() == (0, "")
            assert "\033" not in terminal.said and DOTS.search(terminal.said)
        code, out, err = tool("watch", server.name, "--once", "--view", "top")
        assert (code, err) == (0, ""), err
        assert re.search(TITLE + "top", out) and DOTS.search(out) and "\033" not in out, out


def once_prints_a_table_of_all_bodies():
    with Server("--scene", "springs:150") as server:
        code, out, err = tool("watch", server.name, "--once", "--table")
        assert (code, err) == (0, ""), err
        lines = out.splitlines()
        assert lines[0].startswith("springs  tick "), lines[0]
        assert lines[1].split() == ["id", "x", "y", "z", "speed", "spin", "rad/s"], lines[1]
        assert len(lines) == 2 + int(re.search(r"(\d+) bodies", lines[0])[1]), lines[0]
        assert all(re.match(r" +\d+( +-?\d+\.\d{4}){5}$", line) for line in lines[2:]), out
    with Server("--scene", "solar") as server:  # its units are not those of SI
        code, out, err = tool("watch", server.name, "--once", "--table")
        assert (code, err) == (0, ""), err
        assert out.splitlines()[1].split() == ["id", "x", "y", "z", "speed", "spin"], out


def once_ends_if_the_scene_cannot_be_read():
    for lies in False, True:
        with Server() as server, Relay(server, lies) as relay:
            code, out, err = tool("watch", relay.name, "--token", relay.file, "--once")
            assert (relay.damaged > 0) == lies
            if not lies:
                assert (code, err) == (0, "") and DOTS.search(out), (code, err)
                continue
            assert (code, out) == (1, "") and err.count("\n") == 1, (code, out, err)
            assert "the server sent a scene that cannot be read: " in err, err


def a_followed_world_shows_its_comparison():
    with Server() as server:
        with watch(server, "--follow") as terminal:
            terminal.wait_for(r"\d+ ticks checked, all equal  hash 0x[0-9a-f]{16}  path \d+ ms, ")
            terminal.wait_for(NAME)
            terminal.press("q")
            code, err = terminal.finish()
            assert (code, err) == (0, ""), err
            assert re.search(r"tick \d+: \d+ ticks checked, all equal; hash", terminal.said)
        code, out, err = tool("watch", server.name, "--follow", "--once")
        assert (code, err) == (0, ""), err
        assert re.search(NAME, out) and "ticks checked, all equal" in out and DOTS.search(out), out


def wrong_use_is_one_line():
    for options, naming in ((("--once", "--seconds", "3"), "--seconds"),
                            (("--once", "--events"), "--events"),
                            (("--table", "--events"), "--events"),
                            (("--table", "--view", "top"), "--view"),
                            (("--view", "left"), "front, side or top")):
        code, out, err = tool("watch", "127.0.0.1:1", *options)
        assert code == 2 and out == "" and naming in err and err.count("\n") == 1, (code, err)


def nobody_answers_a_terminal():
    with PseudoTerminal([BINARIES / "orrery", "watch", "127.0.0.1:1", "--once"]) as terminal:
        code, err = terminal.finish()
        assert code == 1 and err.count("\n") == 1, (code, err)


run([the_picture_has_bodies_and_follows_keys, the_picture_moves_only_where_something_changes,
     a_new_size_is_used, signals_restore_the_terminal,
     a_server_that_stops_is_named_below_the_picture, the_table_sorts_and_scrolls,
     once_prints_one_picture, once_prints_a_table_of_all_bodies,
     once_ends_if_the_scene_cannot_be_read,
     a_followed_world_shows_its_comparison, wrong_use_is_one_line, nobody_answers_a_terminal])
