#!/usr/bin/env python3
# Tests the examples of clients outside the tree: each connects to a server, and moves a body.
"""usage: client_test.py FOLDER_OF_PROGRAMS"""
import json
import math
import os
import pathlib
import re
import struct
import sys
import tempfile

sys.path.append(sys.path[0] + "/../loopback/support")
from install_test import EXAMPLES, run
from orrery_server import BINARIES, Server, tool

GUIDE = EXAMPLES.parent / "GUIDE.md"
TESTS = pathlib.Path(__file__).resolve().parent
LOG, BALL = 37, 36  # ids of bodies of the playground: a piece of wood, and a ball
WALL = (0, 0, -9)
NUMBER = r"(-?\d+\.\d+)"
LINE = re.compile(rf"tick {NUMBER}: log at {NUMBER}, {NUMBER}, {NUMBER}; "
                  rf"wall at {NUMBER}, {NUMBER}, {NUMBER}\n")
PINK, BALL_START = (204, 98, 160), (580, 422)  # the ball in the picture of throw.c

# Orrery's axes and metres from those of an engine.
AXES = {"orrery": lambda x, y, z: (x, y, z), "unity": lambda x, y, z: (x, y, -z),
        "unreal": lambda x, y, z: (x / 100, z / 100, y / 100), "ros": lambda x, y, z: (x, z, -y)}


def block(language):
    """Returns the first code block of the guide in this language."""
    return re.search(rf"```{language}\n(.*?)```", GUIDE.read_text(), re.DOTALL)[1]


def build(folder, prefix):
    """Builds the examples with the installed package. Returns the extension of Godot."""
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}

    def flags(*packages):
        found = run("pkg-config", "--cflags", "--libs", *packages, env=env).split()
        return [*found, "-lm", f"-Wl,-rpath,{prefix}/lib"]

    c = ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    run(*c, EXAMPLES / "throw.c", *flags("orrery", "sdl2"), "-o", folder / "throw")
    run(*c, f"-I{EXAMPLES}", TESTS / "throw_test.c", *flags("orrery", "sdl2"), "-o",
        folder / "throw_test")
    run("g++", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror",
        EXAMPLES / "unreal_client.cpp", *flags("orrery"), "-o", folder / "unreal")
    for program in (EXAMPLES / "Fly.cs", TESTS / "Orders.cs"):
        run("mcs", "-unsafe", EXAMPLES / "Client.cs", program,
            f"-out:{folder / program.stem}.exe")
    assert block("cpp") == (EXAMPLES / "grab.cpp").read_text(), "the guide has another program"
    (folder / "grab.cpp").write_text(block("cpp"))
    (folder / "CMakeLists.txt").write_text(block("cmake"))
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "build")
    extension = folder / "liborrery_godot.so"
    run(*c, "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,--no-undefined",
        *EXAMPLES.glob("godot/*.c"), *flags("orrery"), "-o", extension)
    run(*c, f"-I{EXAMPLES}/godot", TESTS / "godot_test.c", "-o", folder / "godot_test")
    return extension


def check_godot(extension):
    """Checks the entry symbol, and that the functions have their names."""
    settings = (EXAMPLES / "godot" / "orrery.gdextension").read_text()
    symbols = run("nm", "-D", "--defined-only", extension).split()[2::3]
    assert symbols == [re.search(r'entry_symbol = "(\w+)"', settings)[1]], symbols
    table = (EXAMPLES / "godot" / "godot.h").read_text().split("struct godot_functions {")[1]
    fields = re.findall(r"^  \w+ \(\*(?:\(\*)?(\w+)\)\(", table, re.M)
    names = re.findall(r'"(\w+)"', (EXAMPLES / "godot" / "godot.c").read_text().split("};")[0])
    assert fields == names, (fields, names)


class Session:
    """The log of a session that has ended."""

    def __init__(self, log):
        self.log = log

    def place(self, body, moment):
        """Returns where a body was at a moment, usually between two ticks."""
        tick = math.floor(moment)
        code, out, err = tool("replay", self.log, "--from", tick, "--to", tick + 1, "--bodies",
                              "--json")
        assert code == 0, err
        before, after = (each["position"] for state in json.loads(out)["states"]
                         for each in state["bodies"] if each["id"] == body)
        return [a + (moment - tick) * (b - a) for a, b in zip(before, after)]

    def commands(self):
        """Yields the tick and each command."""
        code, out, err = tool("log", "export", self.log)
        assert code == 0, err
        for record in map(json.loads, out.splitlines()):
            yield from ((record["tick"], command) for command in record.get("commands", []))

    def check_flight(self, said, axes):
        """Checks two lines of a client: the log has risen to where the server had it."""
        lines = [[float(number) for number in line] for line in LINE.findall(said)]
        (_, start, _), (moment, end, wall) = [
            (line[0], AXES[axes](*line[1:4]), AXES[axes](*line[4:])) for line in lines]
        assert wall == WALL, said
        assert end[1] > start[1] + 0.99, said
        assert math.dist(end, self.place(LOG, moment)) < 0.02, (said, self.place(LOG, moment))

    def check_grab(self, said):
        """Checks that grab.cpp has lifted the ball to where the server had it."""
        lines = re.findall(rf"tick {NUMBER}: height {NUMBER}\n", said)
        moment, height = map(float, lines[-1])
        assert height > 2 > float(lines[0][1]), said
        assert abs(height - self.place(BALL, moment)[1]) < 0.05, (said, self.place(BALL, moment))

    def check_throw(self, picture):
        """Checks that throw.c grabbed the ball, lifted it, and shows it away from its start."""
        given = [(tick, each["command"]) for tick, each in self.commands()
                 if each["command"] in ("grab", "move", "release")]
        kinds = [kind for _, kind in given]
        end = kinds.index("release")
        assert end > 10 and kinds[:end] == ["grab"] + (end - 1) * ["move"], kinds
        assert self.place(BALL, given[end][0])[1] > 2, self.place(BALL, given[end][0])
        width, height, pixel = read_bmp(picture)
        pink = {(x, y) for x in range(width) for y in range(height) if pixel(x, y) == PINK}
        assert len(pink) > 1000 and BALL_START not in pink, len(pink)


def read_bmp(path):
    """Returns width, height, and a function that returns the color of a pixel."""
    data = path.read_bytes()
    offset, width, height, bits = (*struct.unpack_from("<10xI4xii2xH", data),)
    assert bits == 24 and height > 0
    stride = (3 * width + 3) // 4 * 4

    def pixel(x, y):
        at = offset + (height - 1 - y) * stride + 3 * x
        return tuple(data[at:at + 3][::-1])

    return width, height, pixel


def play(server, folder, prefix, extension):
    """Runs all clients. Returns the output of each client that pushes the body LOG, with its axes,
    and the output of grab.cpp."""
    env = {**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib"), "SDL_VIDEODRIVER": "dummy",
           "PYTHONPATH": str(prefix / "share" / "orrery" / "python")}

    def said(*command):
        return run(*command, env=env, timeout=60)

    said(folder / "throw_test", server.name, folder / "throw.bmp")
    said("/usr/bin/python3", TESTS / "python_client.py", server.name)
    said("mono", folder / "Orders.exe", server.name)
    godot = said(folder / "godot_test", extension, server.name)
    assert godot.endswith("; wall at 0.000, 0.000, -9.000\n"), godot
    flights = [
        (said("/usr/bin/python3", EXAMPLES / "fly.py", server.name), "orrery"),
        (said("mono", folder / "Fly.exe", server.name), "unity"),
        (said("luajit", EXAMPLES / "client.lua", prefix / "include" / "orrery.h",
              prefix / "lib" / "liborrery.so", server.name), "ros"),
        (said(folder / "unreal", server.name), "unreal")]
    return flights, said(folder / "build" / "grab", server.name)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        run("cmake", "--install", BINARIES.parent, "--prefix", prefix)
        extension = build(folder, prefix)
        check_godot(extension)
        with Server("--ticks", "6000") as server:
            flights, grabbed = play(server, folder, prefix, extension)
            code, said = server.end()
            assert code == 0, said
            session = Session(server.log)
            for each in flights:
                session.check_flight(*each)
            session.check_grab(grabbed)
            session.check_throw(folder / "throw.bmp")
    print(f"{len(flights) + 3} clients moved a body, and saw it where the server had it")


if __name__ == "__main__":
    main()
