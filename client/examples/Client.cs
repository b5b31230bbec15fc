// A client in C# that connects to a server, for use in a Unity script. The library never calls back
// into C#.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

// In Unity, call Update() in MonoBehaviour.Update(). Then move the object of each body:
//   transform.SetPositionAndRotation(new Vector3(p.X, p.Y, p.Z), new Quaternion(p.Qx, ...));
// Read Events, Refusals and Hits after each Update(): they are those of this update.
public sealed unsafe class OrreryClient : IDisposable {
  const string Lib = "liborrery.so.0.2";
  const uint YUpLeft = 1, Position = 1, Orientation = 2;
  const int Ok = 0, End = 1, ShortBuffer = -4, NotReady = -18, Busy = -19;
  const int Interpolate = 0, PhaseConnected = 2, PhaseEnded = 4;
  enum Kind {
    Thrust, Torque, Impulse, Grab, Move, Release, Spawn, Remove, SetParameter, SetControl = 11,
    SetVelocity = 13, MoveTo, Place, SetMotor, SetTarget, SetValue, Message, Tell, SetFilter,
    SetGravityScale, Kick, Ban
  }
  public enum Control { Nobody, Anyone, Owner }
  enum Parameter : uint { Gravity, Attraction }

  // --- The structs of orrery.h ---

  struct Options {
    public uint Size, Follow, Events, Admin, Watch, Plain;
    public double Reconnect, CommandMin, CommandMax;
  }
  struct Space { public uint Size, Axes; public double Units, X, Y, Z; }
  struct Frame { public uint Size, Bodies; public double Tick; }
  struct Command {
    public uint Size; public Kind Kind; public uint Client, Sequence, Subject; public int Role;
    public float X, Y, Z, X2, Y2, Z2; public ulong Account; public Control Control;
    public uint Ticks; public float X3, Y3, Z3, Qx, Qy, Qz, Qw;
    public ushort KeySize, BytesSize; public fixed byte Key[64], Bytes[256];
    public uint Category, Mask;
  }
  struct Value {
    public uint Size; public ushort KeySize, BytesSize; public fixed byte Key[64], Bytes[256];
  }
  struct NoticeBytes {
    public uint Size; public ushort BytesSize, Reserved; public ulong Tick;
    public fixed byte Bytes[256];
  }
  struct Ray {
    public uint Size, Ignores, Ignored, Reserved;
    public double X, Y, Z, AlongX, AlongY, AlongZ;
  }
  public struct Pose { public float X, Y, Z, Qx, Qy, Qz, Qw; }
  public struct Body { public uint Size, Id, SceneBody; public int Quality; }
  public struct Info {
    public uint Size; public int Phase, Failure; public uint WantsToken, HasScene, Client;
    public int Role; public uint TickRate; public double TickTime; public ulong Epoch;
    public fixed byte Scene[72], Problem[256]; public ulong Account;
  }
  public struct Stats {
    public uint Size, Diverged;
    public double RoundTrip, Jitter, Loss, FrameDelay, CommandSlack, Margin;
    public ulong Commands, LateReports, BytesReceived, DatagramsReceived, EventsMissed, Hitches,
        Jumps, Connections, TicksChecked, FirstDivergentTick, Refused, RefusalsMissed, NoticesMissed;
  }
  public enum EventKind {
    ContactEnd, SensorEnd, ContactBegin, SensorBegin, Hit,
    JointBroke,  // PartA: the joint
    LeftBounds, FellAsleep, Woke  // of body A
  }
  public struct Event {
    public uint Size; public EventKind Kind; public uint A, B, PartA, PartB;
    public double Speed, X, Y, Z, NormalX, NormalY, NormalZ;
  }
  public enum Reason {
    Malformed = 2, NotJoined, Role, NoBody, Fixed, NotYours, TooStrong, Full, NoGrab, Unavailable,
    NotKinematic, NoJoint, NoClient
  }
  public struct Refusal { public uint Size; public Reason Reason; public ulong Command, Tick; }
  public struct Hit {
    public uint Size, Hits, Body, Part;
    public double Fraction, X, Y, Z, NormalX, NormalY, NormalZ;
  }
  public struct TickEvent { public ulong Tick; public Event Event; }
  public struct Notice { public ulong Tick; public string Text; }
  public struct RayHit { public uint Ray; public ulong Tick; public Hit Hit; }

  // --- The functions of orrery.h ---

  [DllImport(Lib)] static extern int orrery_client_open(string server, string access,
      ref Options options, out IntPtr client, StringBuilder why, int size);
  [DllImport(Lib)] static extern void orrery_client_destroy(IntPtr client);
  [DllImport(Lib)] static extern int orrery_last_error(IntPtr client, StringBuilder why, int size);
  [DllImport(Lib)] static extern int orrery_set_space(IntPtr client, ref Space space);
  [DllImport(Lib)] static extern int orrery_get_client_info(IntPtr client, ref Info info);
  [DllImport(Lib)] static extern int orrery_get_client_stats(IntPtr client, ref Stats stats);
  [DllImport(Lib)] static extern int orrery_client_update(IntPtr client, ulong now, ulong wait);
  [DllImport(Lib)] static extern int orrery_client_command(IntPtr client, ref Command c, ulong now);
  [DllImport(Lib)] static extern int orrery_client_frame(
      IntPtr client, ulong now, int mode, ref Frame frame);
  [DllImport(Lib)] static extern int orrery_client_read(
      IntPtr client, uint what, Pose[] rows, int stride, uint capacity);
  [DllImport(Lib)] static extern int orrery_client_bodies(IntPtr client, Body[] bodies, uint room);
  [DllImport(Lib)] static extern int orrery_client_events(
      IntPtr client, Event[] events, uint capacity, out uint count, out ulong tick);
  [DllImport(Lib)] static extern int orrery_client_refusals(
      IntPtr client, Refusal[] refusals, uint capacity, out uint count);
  [DllImport(Lib)] static extern int orrery_client_values(
      IntPtr client, Value[] values, uint capacity, out uint count);
  [DllImport(Lib)] static extern int orrery_client_notices(
      IntPtr client, ref NoticeBytes notice, uint capacity, out uint count);
  [DllImport(Lib)] static extern int orrery_client_cast_ray(
      IntPtr client, ref Ray ray, ulong now, out uint number);
  [DllImport(Lib)] static extern int orrery_client_hit(
      IntPtr client, ref Hit hit, out uint number, out ulong tick);

  // --- The client ---

  readonly IntPtr client;
  Body[] bodies = new Body[0];
  Pose[] rows = new Pose[0];
  Event[] events = Sized(64);
  readonly Refusal[] refusals = new Refusal[64];
  Frame frame = new Frame { Size = (uint)sizeof(Frame) };
  Info info = new Info { Size = (uint)sizeof(Info) };

  // Connects to a server in the background. `access` is the path of a token file or key file. Null
  // means the key of a server on this machine. With an access of role admin, give `admin` too.
  public OrreryClient(string server, string access = null, bool admin = false) {
    var options = new Options { Size = (uint)sizeof(Options), Events = 1, Admin = admin ? 1u : 0 };
    var why = new StringBuilder(512);
    if (orrery_client_open(server, access, ref options, out client, why, 512) < 0)
      throw new Exception(why.ToString());
    var space = new Space { Size = (uint)sizeof(Space), Axes = YUpLeft };
    Must(orrery_set_space(client, ref space));
    for (int i = 0; i < refusals.Length; ++i) refusals[i].Size = (uint)sizeof(Refusal);
  }
  public void Dispose() { orrery_client_destroy(client); }

  public readonly Dictionary<uint, Pose> Poses = new Dictionary<uint, Pose>();    // by body id
  public readonly Dictionary<uint, Body> Bodies = new Dictionary<uint, Body>();   // by body id
  public readonly List<TickEvent> Events = new List<TickEvent>();  // contacts, and hits, in order
  public readonly List<Refusal> Refusals = new List<Refusal>();    // commands that were refused
  public readonly List<Notice> Notices = new List<Notice>();       // by the rules or an admin
  public readonly List<RayHit> Hits = new List<RayHit>();          // answers to CastRay()
  public double Tick { get { return frame.Tick; } }                // the moment that poses show
  public Info Facts { get { return info; } }
  public bool Connected { get { return info.Phase == PhaseConnected; } }
  public bool Ended { get { return info.Phase == PhaseEnded; } }
  public string Problem {
    get { fixed (byte* text = info.Problem) return Marshal.PtrToStringAnsi((IntPtr)text); }
  }
  public Stats Figures {
    get {
      var stats = new Stats { Size = (uint)sizeof(Stats) };
      Must(orrery_get_client_stats(client, ref stats));
      return stats;
    }
  }

  // Returns the values of the session, such as a score, by their keys.
  public Dictionary<string, string> Values() {
    var some = new Value[1024];
    for (int i = 0; i < some.Length; ++i) some[i].Size = (uint)sizeof(Value);
    uint count;
    Must(orrery_client_values(client, some, (uint)some.Length, out count));
    var found = new Dictionary<string, string>();
    for (int i = 0; i < count; ++i)
      fixed (byte* key = some[i].Key, bytes = some[i].Bytes)
        found[Text(key, some[i].KeySize)] = Text(bytes, some[i].BytesSize);
    return found;
  }

  // Waits at most `wait` seconds for a datagram. Then receives and sends datagrams, updates the
  // poses of the bodies to the present, and reads what arrived.
  public void Update(double wait = 0) {
    Must(orrery_client_update(client, 0, (ulong)(wait * 1e9)));
    Must(orrery_get_client_info(client, ref info));
    ReadPoses();
    ReadEvents();
    ReadRefusals();
    ReadNotices();
    ReadHits();
  }

  // --- Commands. Each returns its number, which Refusals repeat, or 0 if the client is not
  // connected or 64 commands wait for the server ---

  public ulong Thrust(uint id, float x, float y, float z) {  // a force, until changed
    return Give(Kind.Thrust, id, x, y, z);
  }
  public ulong Torque(uint id, float x, float y, float z) {  // until changed
    return Give(Kind.Torque, id, x, y, z);
  }
  public ulong Push(uint id, float x, float y, float z) {  // an impulse
    return Give(Kind.Impulse, id, x, y, z);
  }
  // Pulls the point (x, y, z) of a body, in body axes, to the target.
  public ulong Grab(uint id, float x, float y, float z, float toX, float toY, float toZ) {
    return Give(Kind.Grab, id, x, y, z, toX, toY, toZ);
  }
  public ulong Move(float x, float y, float z) {  // a new target for the grab
    return Give(Kind.Move, 0, x, y, z);
  }
  public ulong Release() { return Give(Kind.Release, 0, 0, 0, 0); }
  // Adds a copy of a body of the scene, at a position and with a velocity.
  public ulong Spawn(uint body, float x, float y, float z, float vx, float vy, float vz) {
    return Give(Kind.Spawn, body, x, y, z, vx, vy, vz);
  }
  // The same, at a pose and with an angular velocity w.
  public ulong Spawn(uint body, Pose at, float vx, float vy, float vz, float wx, float wy,
                     float wz) {
    Command command = Posed(Kind.Spawn, body, at);
    command.X2 = vx; command.Y2 = vy; command.Z2 = vz;
    command.X3 = wx; command.Y3 = wy; command.Z3 = wz;
    return Give(command);
  }
  public ulong Remove(uint id) { return Give(Kind.Remove, id, 0, 0, 0); }
  public ulong SetGravity(float x, float y, float z) {  // needs the role admin
    return Give(Kind.SetParameter, (uint)Parameter.Gravity, x, y, z);
  }
  public ulong SetAttraction(float constant) {  // needs the role admin
    return Give(Kind.SetParameter, (uint)Parameter.Attraction, constant, 0, 0);
  }

  // Says who may command a body: for Owner, the account of a client. Needs the role admin.
  public ulong SetControl(uint id, Control control, ulong account = 0) {
    return Give(new Command { Kind = Kind.SetControl, Subject = id, Control = control,
                              Account = account });
  }

  // Drive a joint of the scene, whose `control` names the clients that may. Quantities are in units
  // of the scene.
  public ulong SetMotor(uint joint, float speed, float max) {
    return Give(Kind.SetMotor, joint, speed, max, 0);
  }
  public ulong SetTarget(uint joint, float position, float frequency, float dampingRatio,
                         float max = 0) {
    return Give(Kind.SetTarget, joint, position, frequency, dampingRatio, max);
  }

  // The next three move bodies, and need the role admin: velocities of a kinematic body, its way to
  // a pose in `ticks` ticks, and any body to a pose at once. w, x, y, z are angular velocities.
  public ulong SetVelocity(uint id, float vx, float vy, float vz, float wx, float wy, float wz) {
    return Give(Kind.SetVelocity, id, vx, vy, vz, wx, wy, wz);
  }
  public ulong MoveTo(uint id, Pose to, uint ticks) {
    Command command = Posed(Kind.MoveTo, id, to);
    command.Ticks = ticks;
    return Give(command);
  }
  public ulong Place(uint id, Pose at) { return Give(Posed(Kind.Place, id, at)); }

  // What all parts of a body may touch, and the factor of gravity on it. Both need the role admin.
  public ulong SetFilter(uint id, uint category, uint mask) {
    return Give(new Command { Kind = Kind.SetFilter, Subject = id, Category = category,
                              Mask = mask });
  }
  public ulong SetGravityScale(uint id, float scale) {
    return Give(Kind.SetGravityScale, id, scale, 0, 0);
  }

  // Text to the rules of the session.
  public ulong Say(string text) { return Give(Kind.Message, 0, "", text); }
  // The next four need the role admin: a value of the session, a notice to a client, or to all (0),
  // and the end of the connection of a client, with at most 128 bytes that it shows.
  public ulong SetValue(string key, string text) { return Give(Kind.SetValue, 0, key, text); }
  public ulong Tell(uint client, string text) { return Give(Kind.Tell, client, "", text); }
  public ulong Kick(uint client, string reason) { return Give(Kind.Kick, client, "", reason); }
  public ulong Ban(uint client, string reason) { return Give(Kind.Ban, client, "", reason); }

  // Asks the server for the first part that a ray hits. Returns the number of the ray, which Hits
  // repeat. An answer that does not arrive within a second was lost.
  public uint CastRay(double x, double y, double z, double alongX, double alongY, double alongZ) {
    var ray = new Ray { Size = (uint)sizeof(Ray), X = x, Y = y, Z = z,
                        AlongX = alongX, AlongY = alongY, AlongZ = alongZ };
    uint number;
    int code = orrery_client_cast_ray(client, ref ray, 0, out number);
    if (code != NotReady) Must(code);
    return number;
  }

  ulong Give(Kind kind, uint subject, float x, float y, float z, float x2 = 0, float y2 = 0,
             float z2 = 0) {
    return Give(new Command { Kind = kind, Subject = subject, X = x, Y = y, Z = z, X2 = x2,
                              Y2 = y2, Z2 = z2 });
  }
  ulong Give(Kind kind, uint subject, string key, string text) {
    byte[] keyBytes = Encoding.UTF8.GetBytes(key), bytes = Encoding.UTF8.GetBytes(text);
    if (keyBytes.Length > 64 || bytes.Length > 256) throw new ArgumentException("too long");
    var command = new Command { Kind = kind, Subject = subject, KeySize = (ushort)keyBytes.Length,
                                BytesSize = (ushort)bytes.Length };
    for (int i = 0; i < keyBytes.Length; ++i) command.Key[i] = keyBytes[i];
    for (int i = 0; i < bytes.Length; ++i) command.Bytes[i] = bytes[i];
    return Give(command);
  }
  static Command Posed(Kind kind, uint id, Pose at) {
    return new Command { Kind = kind, Subject = id, X = at.X, Y = at.Y, Z = at.Z, Qx = at.Qx,
                         Qy = at.Qy, Qz = at.Qz, Qw = at.Qw };
  }
  static string Text(byte* bytes, int size) { return Encoding.UTF8.GetString(bytes, size); }

  ulong Give(Command command) {
    command.Size = (uint)sizeof(Command);
    int code = orrery_client_command(client, ref command, 0);
    if (code == NotReady || code == Busy) return 0;
    Must(code);
    return Figures.Commands;
  }

  void ReadNotices() {
    Notices.Clear();
    var notice = new NoticeBytes { Size = (uint)sizeof(NoticeBytes) };
    uint count;
    while (Must(orrery_client_notices(client, ref notice, 1, out count)) != End)
      Notices.Add(new Notice { Tick = notice.Tick, Text = Text(notice.Bytes, notice.BytesSize) });
  }

  void ReadPoses() {
    Must(orrery_client_frame(client, 0, Interpolate, ref frame));
    if (frame.Bodies > bodies.Length) {
      bodies = new Body[2 * frame.Bodies];
      rows = new Pose[2 * frame.Bodies];
      for (int i = 0; i < bodies.Length; ++i) bodies[i].Size = (uint)sizeof(Body);
    }
    uint room = (uint)bodies.Length;
    Must(orrery_client_read(client, Position | Orientation, rows, sizeof(Pose), room));
    Must(orrery_client_bodies(client, bodies, room));
    Poses.Clear();
    Bodies.Clear();
    for (int i = 0; i < frame.Bodies; ++i) {
      Poses[bodies[i].Id] = rows[i];
      Bodies[bodies[i].Id] = bodies[i];
    }
  }

  void ReadEvents() {
    Events.Clear();
    uint count;
    ulong tick;
    while (true) {
      int code = orrery_client_events(client, events, (uint)events.Length, out count, out tick);
      if (code == End) return;
      if (code == ShortBuffer) events = Sized(count);
      else Must(code);
      for (int i = 0; code == Ok && i < count; ++i)
        Events.Add(new TickEvent { Tick = tick, Event = events[i] });
    }
  }

  void ReadRefusals() {
    Refusals.Clear();
    uint count;
    while (Must(orrery_client_refusals(client, refusals, (uint)refusals.Length, out count)) != End)
      for (int i = 0; i < count; ++i) Refusals.Add(refusals[i]);
  }

  void ReadHits() {
    Hits.Clear();
    var next = new RayHit { Hit = new Hit { Size = (uint)sizeof(Hit) } };
    while (Must(orrery_client_hit(client, ref next.Hit, out next.Ray, out next.Tick)) != End)
      Hits.Add(next);
  }

  static Event[] Sized(uint count) {
    var made = new Event[count];
    for (int i = 0; i < count; ++i) made[i].Size = (uint)sizeof(Event);
    return made;
  }

  int Must(int code) {
    if (code >= 0) return code;
    var why = new StringBuilder(512);
    orrery_last_error(client, why, 512);
    throw new Exception(why.ToString());
  }
}
