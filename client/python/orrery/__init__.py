# Orrery in Python: clients of a server, worlds, batches of worlds, and session logs.
from .batch import Env, WorldBatch
from .binding import *
from .client import Client
from .log import Log
from .world import World
