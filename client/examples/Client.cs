// A client in C# that connects to a server, for use in a Unity script. The library never calls back
// into C#.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

// In Unity, call Update() in MonoBehaviour.Update(). Then move the object of each body:
//   transform.SetPositionAndRotation(new Vector3(p.X, p.Y, p.Z), new Quaternion(p.Qx, ...));
public sealed unsafe class OrreryClient : IDisposable {
  const string Lib = "liborrery.so.0.2";
  const uint YUpLeft = 1, Position = 1, Orientation = 2, BodiesMax = 4096;
  const int Interpolate = 0, Impulse = 2, PhaseEnded = 4;

  struct Space { public uint Size, Axes; public double Units, X, Y, Z; }
  struct Frame { public uint Size, Bodies; public double Tick; }
  struct Body { public uint Size, Id, SceneBody; public int Quality; }
  public struct Pose { public float X, Y, Z, Qx, Qy, Qz, Qw; }
  struct Command {
    public uint Size; public int Kind; public uint Client, Sequence, Subject; public int Role;
    public float X, Y, Z, X2, Y2, Z2;
  }
  struct Info {
    public uint Size; public int Phase, Failure; public uint WantsToken, HasScene, Client;
    public int Role; public uint TickRate; public double TickTime; public ulong Epoch;
    public fixed byte Scene[72], Problem[256];
  }

  [DllImport(Lib)] static extern int orrery_client_open(
      string server, string access, void* options, out IntPtr client, StringBuilder why, int size);
  [DllImport(Lib)] static extern void orrery_client_destroy(IntPtr client);
  [DllImport(Lib)] static extern int orrery_last_error(IntPtr client, StringBuilder why, int size);
  [DllImport(Lib)] static extern int orrery_set_space(IntPtr client, ref Space space);
  [DllImport(Lib)] static extern int orrery_get_client_info(IntPtr client, ref Info info);
  [DllImport(Lib)] static extern int orrery_client_update(IntPtr client, ulong now, ulong wait);
  [DllImport(Lib)] static extern int orrery_client_command(IntPtr client, ref Command c, ulong now);
  [DllImport(Lib)] static extern int orrery_client_frame(
      IntPtr client, ulong now, int mode, ref Frame frame);
  [DllImport(Lib)] static extern int orrery_client_read(
      IntPtr client, uint what, Pose[] rows, int stride, uint capacity);
  [DllImport(Lib)] static extern int orrery_client_bodies(IntPtr client, Body[] bodies, uint room);

  readonly IntPtr client;
  readonly Body[] bodies = new Body[BodiesMax];
  readonly Pose[] rows = new Pose[BodiesMax];
  Frame frame = new Frame { Size = (uint)sizeof(Frame) };
  Info info = new Info { Size = (uint)sizeof(Info) };

  public OrreryClient(string server, string access = null) {
    var why = new StringBuilder(512);
    if (orrery_client_open(server, access, null, out client, why, 512) < 0)
      throw new Exception(why.ToString());
    var space = new Space { Size = (uint)sizeof(Space), Axes = YUpLeft };
    Must(orrery_set_space(client, ref space));
    for (int i = 0; i < BodiesMax; ++i) bodies[i].Size = (uint)sizeof(Body);
  }
  public void Dispose() { orrery_client_destroy(client); }

  public readonly Dictionary<uint, Pose> Poses = new Dictionary<uint, Pose>();  // by body id
  public double Tick { get { return frame.Tick; } }                            // that they show
  public bool Ended { get { return info.Phase == PhaseEnded; } }
  public string Problem {
    get { fixed (byte* text = info.Problem) return Marshal.PtrToStringAnsi((IntPtr)text); }
  }

  // Waits at most `wait` seconds for a datagram. Then receives and sends datagrams, and updates the
  // poses of the bodies to the present.
  public void Update(double wait = 0) {
    Must(orrery_client_update(client, 0, (ulong)(wait * 1e9)));
    Must(orrery_get_client_info(client, ref info));
    Must(orrery_client_frame(client, 0, Interpolate, ref frame));
    Must(orrery_client_read(client, Position | Orientation, rows, sizeof(Pose), BodiesMax));
    Must(orrery_client_bodies(client, bodies, BodiesMax));
    Poses.Clear();
    for (int i = 0; i < frame.Bodies; ++i) Poses[bodies[i].Id] = rows[i];
  }

  public void Push(uint id, float x, float y, float z) {
    var command = new Command { Size = (uint)sizeof(Command), Kind = Impulse, Subject = id,
                                X = x, Y = y, Z = z };
    Must(orrery_client_command(client, ref command, 0));
  }

  void Must(int code) {
    if (code >= 0) return;
    var why = new StringBuilder(512);
    orrery_last_error(client, why, 512);
    throw new Exception(why.ToString());
  }
}
