# Orrery in Python: worlds, batches of worlds for training, and session logs.
from .batch import Env, WorldBatch
from .binding import *
from .log import Log
from .world import World
