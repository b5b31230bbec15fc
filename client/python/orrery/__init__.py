# Orrery in Python: clients, servers with rules, worlds, batches of worlds, and session logs.
from .batch import Env, WorldBatch
from .binding import *
from .client import Client
from .log import Log
from .server import Server
from .world import World
