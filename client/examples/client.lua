-- A client of a server in LuaJIT: connects, pushes a log of the playground, and prints where it is.
--
--   luajit client.lua PREFIX/include/orrery.h PREFIX/lib/liborrery.so 127.0.0.1:4770
local ffi = require("ffi")

local header = assert(io.open(arg[1])):read("*a")
header = header:gsub("//[^\n]*", ""):gsub("ORRERY_API ", "")
header = header:gsub('extern "C" {', ""):gsub("#ifdef __cplusplus%s+}%s+#endif", "")
header = header:gsub("#[^\n]*", "")
ffi.cdef(header)
local c = ffi.load(arg[2])
local LOG, WALL = 37, 43 -- ids of bodies

-- Returns a struct with its size set.
local function struct(name, fields)
  local s = ffi.new(name, fields or {})
  s.size = ffi.sizeof(s)
  return s
end

local function must(client, code)
  if code >= 0 then return end
  local why = ffi.new("char[512]")
  c.orrery_last_error(client, why, 512)
  error(ffi.string(why), 2)
end

local function open(server)
  local place, why = ffi.new("orrery_client*[1]"), ffi.new("char[512]")
  if c.orrery_client_open(server, nil, nil, place, why, 512) < 0 then
    error(ffi.string(why), 2)
  end
  return ffi.gc(place[0], c.orrery_client_destroy)
end

-- Receives and sends. Returns the shown tick, and a table of positions by body id.
local function update(client)
  local frame = struct("orrery_frame")
  must(client, c.orrery_client_update(client, 0, 1e9 / 60))
  must(client, c.orrery_client_frame(client, 0, c.ORRERY_INTERPOLATE, frame))
  local count, places = frame.bodies, {}
  local rows = ffi.new("float[?][3]", count + 1)
  local bodies = ffi.new("orrery_shown_body[?]", count + 1)
  for i = 0, count - 1 do bodies[i].size = ffi.sizeof("orrery_shown_body") end
  must(client, c.orrery_client_read(client, c.ORRERY_POSITION, rows, 12, count))
  must(client, c.orrery_client_bodies(client, bodies, count))
  for i = 0, count - 1 do places[bodies[i].id] = rows[i] end
  return frame.tick, places
end

local function say(tick, places)
  local log, wall = places[LOG], places[WALL]
  print(("tick %.2f: log at %.3f, %.3f, %.3f; wall at %.3f, %.3f, %.3f"):format(
    tick, log[0], log[1], log[2], wall[0], wall[1], wall[2]))
end

local client = open(arg[3])
-- The axes of ROS and Blender: right-handed, z up.
must(client, c.orrery_set_space(client, struct("orrery_space", { axes = c.ORRERY_Z_UP_RIGHT })))
local push = struct("orrery_command", { kind = c.ORRERY_IMPULSE, subject = LOG })
push.first[2] = 30
local info, start = struct("orrery_client_info"), nil
while true do
  local tick, places = update(client)
  must(client, c.orrery_get_client_info(client, info))
  if info.phase == c.ORRERY_ENDED then error(ffi.string(info.problem)) end
  local height = places[LOG] and places[LOG][2]
  if height and not start then
    start = height
    say(tick, places)
    must(client, c.orrery_client_command(client, push, 0))
  elseif height and height > start + 1 then
    say(tick, places)
    break
  end
end
