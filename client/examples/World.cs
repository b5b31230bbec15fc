// Steps a world from C# by P/Invoke, as a Unity script would: no callbacks, no garbage per frame.
//
//   mcs -unsafe World.cs && LD_LIBRARY_PATH=... mono World.exe playground 1000
using System;
using System.Runtime.InteropServices;
using System.Text;

static class Orrery {
  const string Library = "liborrery.so.0.2";
  public const uint Position = 1, Orientation = 2, YUpLeft = 1;
  public const int Impulse = 2, Join = 9, Admin = 2;

  [StructLayout(LayoutKind.Sequential)]
  public unsafe struct Command {
    public uint Size;
    public int Kind;
    public uint Client, Sequence, Subject;
    public int Role;
    public float X, Y, Z, X2, Y2, Z2;
    public ulong Account;
    public int Control;
    public uint Ticks;
    public float X3, Y3, Z3, Qx, Qy, Qz, Qw;
    public ushort KeySize, BytesSize;
    public fixed byte Key[64], Bytes[256];
    public uint Category, Mask;
  }

  [StructLayout(LayoutKind.Sequential)]
  public struct Space {
    public uint Size, Axes;
    public double Units, X, Y, Z;
  }

  [StructLayout(LayoutKind.Sequential)]
  public unsafe struct WorldInfo {
    public uint Size, Bodies;
    public ulong Tick, Hash;
    public double TickTime;
    public uint TickRate, SceneBodies, Applied, Events;
    public fixed byte Scene[72];
  }

  [DllImport(Library)] static extern int orrery_world_from_name(
      string name, out IntPtr world, StringBuilder why, uint whySize);
  [DllImport(Library)] static extern int orrery_last_error(
      IntPtr handle, StringBuilder text, uint size);
  [DllImport(Library)] public static extern void orrery_world_destroy(IntPtr world);
  [DllImport(Library)] public static extern int orrery_set_space(IntPtr world, ref Space space);
  [DllImport(Library)] public static extern int orrery_world_step(
      IntPtr world, Command[] commands, uint count);
  [DllImport(Library)] public static extern int orrery_get_world_info(
      IntPtr world, ref WorldInfo info);
  [DllImport(Library)] public static extern int orrery_world_read(
      IntPtr world, uint[] ids, uint what, float[] rows, uint stride, uint capacity);

  public static IntPtr World(string name) {
    var why = new StringBuilder(512);
    IntPtr world;
    if (orrery_world_from_name(name, out world, why, 512) < 0) throw new Exception(why.ToString());
    return world;
  }

  public static void Must(IntPtr handle, int code) {
    if (code >= 0) return;
    var why = new StringBuilder(512);
    orrery_last_error(handle, why, 512);
    throw new Exception(why.ToString());
  }
}

static class Program {
  static unsafe int Main(string[] args) {
    IntPtr world = Orrery.World(args[0]);
    // Unity's axes: left-handed, y up.
    var space = new Orrery.Space { Size = (uint)sizeof(Orrery.Space), Axes = Orrery.YUpLeft };
    Orrery.Must(world, Orrery.orrery_set_space(world, ref space));
    var info = new Orrery.WorldInfo { Size = (uint)sizeof(Orrery.WorldInfo) };
    Orrery.Must(world, Orrery.orrery_get_world_info(world, ref info));
    var rows = new float[info.Bodies * 7];
    uint stride = 7 * sizeof(float);
    for (int tick = 0; tick < int.Parse(args[1]); ++tick) {
      Orrery.Must(world, Orrery.orrery_world_step(world, null, 0));
      Orrery.Must(world, Orrery.orrery_world_read(
          world, null, Orrery.Position | Orrery.Orientation, rows, stride, info.Bodies));
    }
    Orrery.Must(world, Orrery.orrery_get_world_info(world, ref info));
    Console.WriteLine("tick {0} hash 0x{1:x16}", info.Tick, info.Hash);
    Console.WriteLine("body 0 at {0:F3}, {1:F3}, {2:F3}", rows[0], rows[1], rows[2]);
    try {
      Orrery.World("nothing");
    } catch (Exception e) {
      Console.WriteLine("refused: {0}", e.Message);
    }
    Orrery.orrery_world_destroy(world);
    return 0;
  }
}
