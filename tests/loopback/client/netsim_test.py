# Tests `orrery netsim` with clients that play through a bad network.
import json
import re
import sys

sys.path.append(sys.path[0] + "/../support")
from orrery_server import Netsim, Server, logged, run, tool, verify


def play(server, relay, count, *more, seconds=3):
    code, out, err = tool("bot", relay.name, "--count", count, "--seconds", seconds, "--json",
                          "--key-file", server.key_file, *more)
    assert code == 0, err
    return json.loads(out)


def counts(line):
    """Returns {"sent": 12, "lost": 3, ...} for a line such as `to the server   12 sent, 3 lost`."""
    words = line.split("  ")[-1].replace(",", "").split()
    return {name: int(number) for number, name in zip(words[::2], words[1::2])}


def a_session_over_a_bad_network_is_sound():
    with Server("--scene", "crates") as server:
        with Netsim(server, "--loss", 5, "--delay", 20, "--jitter", 10, "--duplicate", 5,
                    "--reorder", 5, "--corrupt", 2) as relay:
            found = play(server, relay, 4)
            up, down = map(counts, relay.report())
        assert found["connected"] == 4 and found["problems"] == 0, found
        assert found["snapshots"] > 100 and found["commands_acknowledged"] > 20, found
        for sums in up, down:
            # The number of lost datagrams is within five standard deviations of the expected
            # number.
            wanted = 0.05 * sums["sent"]
            assert abs(sums["lost"] - wanted) < 5 * wanted ** 0.5, sums
            assert sums["duplicated"] > 0 and sums["reordered"] > 0, sums
        assert down["corrupted"] > 0, down
        code, _ = server.end()
        assert code == 0
        assert verify(server.log)[0] == 0


def events(lines):
    """Returns the events in JSON lines, without the values that are rounded on the wire."""
    return [{key: value for key, value in json.loads(line).items()
             if key not in ("speed", "normal")} for line in lines.splitlines()]


def all_events_come_over_a_bad_network():
    with Server("--scene", "boxes:60") as server:
        with Netsim(server, "--loss", 20, "--delay", 20, "--jitter", 10, "--duplicate", 5,
                    "--reorder", 5) as relay:
            code, out, err = tool("watch", relay.name, "--events", "--seconds", 5, "--key-file",
                                  server.key_file)
            assert code == 0, err
        code, err = server.end()
        counters = logged(err, "counters session")[-1]
        assert code == 0 and counters["events_left_out"] == "0", err
        ticks = verify(server.log)[1]["ticks"]
    heard = events(out)
    happened = events(tool("run", "boxes:60", "--ticks", ticks, "--events")[1])
    assert len(heard) > 20 and heard[0] in happened, heard
    first = happened.index(heard[0])
    assert heard == happened[first:first + len(heard)]


def what_a_slow_line_has_no_room_for_is_lost():
    with Server("--scene", "tumble") as server, Netsim(server, "--rate", 100) as relay:
        found = play(server, relay, 1, "--plain")
        assert found["bytes_received_per_client_second"] < 100_000 / 8, found
        _, down = relay.report()
        assert "0 overflowed" not in down.split(", "), down


def a_slow_line_is_not_filled():
    with Server("--scene", "playground") as server:
        # Snapshots of all bodies need more than 200 kB/s.
        with Netsim(server, "--rate", 800, "--delay", 10) as relay:
            found = play(server, relay, 1, "--plain", seconds=10)
            _, down = relay.report()
        assert found["snapshots_selected"] > 50 and found["problems"] == 0, found
        assert found["commands_acknowledged"] == found["commands"] > 20, found
        sums = counts(down)
        # If the server sent every body, half of the data would not fit through the line. At first
        # the server sends too much: the scene fills the queue of the line before the server knows
        # the line's rate.
        assert int(re.search(r"(\d+) overflowed", down)[1]) < sums["sent"] / 5, down
        code, _ = server.end()
        assert code == 0
        assert verify(server.log)[0] == 0


def large_datagrams_that_vanish_are_found_and_named():
    with Server("--scene", "free:300") as server:
        for mode in "--plain", "--follow", None:
            with Netsim(server, "--mtu", 1100) as relay:
                code, out, err = tool("bot", relay.name, "--seconds", 4, "--key-file",
                                      server.key_file, *filter(None, [mode]))
                assert code == 0, err
                _, down = relay.report()
            assert "1 client: large datagrams do not arrive, small ones do (orreryd --mtu 508)" \
                in out, (mode, out)
            assert counts(down)["oversized"] > 0, down
        found = play(server, server, 1)
        assert found["paths_narrowed"] == 0, found
        code, err = server.end()
        # A client gets another id if the last message of the client before it was lost.
        narrowed = [fields["mtu"] for fields in logged(err, "client narrowed")]
        assert code == 0 and narrowed == ["508"] * 3, err
    with Server("--scene", "free:300", "--mtu", "1100") as server:
        with Netsim(server, "--mtu", 1100) as relay:
            found = play(server, relay, 1)
            _, down = relay.report()
        assert found["paths_narrowed"] == 0 and found["snapshots"] > 60, found
        assert ", 0 oversized" in down, down


def what_cannot_be_is_refused():
    ways = ["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1"]
    for arguments, naming in [(["--listen", "here", "--to", "127.0.0.1:1"], "--listen"),
                              (["--listen", "127.0.0.1:0", "--to", "there"], "--to"),
                              (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:0"], "port 0"),
                              ([*ways, "--loss", 101], "101 is not a number from 0 to 100"),
                              ([*ways, "--loss", "nan", "--corrupt", "nan"], "--loss: nan is not"),
                              ([*ways, "--delay", -1], "-1 is not a whole number")]:
        code, out, err = tool("netsim", *arguments)
        assert code == 2 and out == "" and naming in err and err.count("\n") == 1, (code, out, err)


run([a_session_over_a_bad_network_is_sound, all_events_come_over_a_bad_network,
     what_a_slow_line_has_no_room_for_is_lost, a_slow_line_is_not_filled,
     large_datagrams_that_vanish_are_found_and_named,
     what_cannot_be_is_refused])
