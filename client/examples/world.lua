-- Steps a world from LuaJIT. The header itself is the binding: its declarations go to ffi.cdef.
--
--   luajit world.lua PREFIX/include/orrery.h PREFIX/lib/liborrery.so playground 1000
local ffi = require("ffi")

local header = assert(io.open(arg[1])):read("*a")
header = header:gsub("//[^\n]*", ""):gsub("ORRERY_API ", "")
header = header:gsub('extern "C" {', ""):gsub("#ifdef __cplusplus%s+}%s+#endif", "")
header = header:gsub("#[^\n]*", "")
ffi.cdef(header)
local c = ffi.load(arg[2])

local function last_error(handle)
  local why = ffi.new("char[512]")
  c.orrery_last_error(handle, why, 512)
  return ffi.string(why)
end

local function must(handle, code)
  if code < 0 then error(last_error(handle), 2) end
end

local function world_of(name)
  local place, why = ffi.new("orrery_world*[1]"), ffi.new("char[512]")
  if c.orrery_world_from_name(name, place, why, 512) < 0 then error(ffi.string(why), 2) end
  return ffi.gc(place[0], c.orrery_world_destroy)
end

local world = world_of(arg[3])
local info = ffi.new("orrery_world_info")
info.size = ffi.sizeof(info)
must(world, c.orrery_get_world_info(world, info))

-- Unreal's axes: left-handed, z up, centimetres.
local space = ffi.new("orrery_space", { axes = c.ORRERY_Z_UP_LEFT, units = 100 })
space.size = ffi.sizeof(space)
must(world, c.orrery_set_space(world, space))

local rows = ffi.new("float[?][7]", info.bodies)
local what = bit.bor(c.ORRERY_POSITION, c.ORRERY_ORIENTATION)
for _ = 1, tonumber(arg[4]) do
  must(world, c.orrery_world_step(world, nil, 0))
  must(world, c.orrery_world_read(world, nil, what, rows, ffi.sizeof(rows[0]), info.bodies))
end
must(world, c.orrery_get_world_info(world, info))
print(("tick %d hash 0x%s"):format(tonumber(info.tick), bit.tohex(info.hash, 16)))
print(("body 0 at %.1f, %.1f, %.1f"):format(rows[0][0], rows[0][1], rows[0][2]))
print("refused: " .. select(2, pcall(world_of, "nothing")))
