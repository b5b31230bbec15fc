// Gives every command of Client.cs to a server with the scene `playground`, and checks what the
// client reads then: poses, refusals, events and answers to rays.
using System;
using System.Collections.Generic;

static class Orders {
  const uint Ball = 36, Log = 37, Floor = 40, Missing = 900;  // ids of bodies
  static readonly Dictionary<ulong, OrreryClient.Reason> refused =
      new Dictionary<ulong, OrreryClient.Reason>();
  static readonly List<OrreryClient.TickEvent> events = new List<OrreryClient.TickEvent>();
  static readonly List<OrreryClient.RayHit> hits = new List<OrreryClient.RayHit>();

  // Updates the client until a condition holds, for at most 20 s.
  static void Until(OrreryClient client, string what, Func<bool> holds) {
    for (DateTime end = DateTime.Now.AddSeconds(20); !holds();) {
      if (client.Ended) throw new Exception(client.Problem);
      if (DateTime.Now > end) throw new Exception("not within 20 s: " + what);
      client.Update(1 / 60.0);
      foreach (var refusal in client.Refusals) refused.Add(refusal.Command, refusal.Reason);
      events.AddRange(client.Events);
      hits.AddRange(client.Hits);
    }
  }

  static void Main(string[] args) {
    using (var client = new OrreryClient(args[0])) {
      Until(client, "poses", () => client.Poses.ContainsKey(Log));
      var before = new HashSet<uint>(client.Poses.Keys);
      float ground = client.Poses[Log].Y;
      ulong first = client.Push(Log, 0, 20, 0);
      client.Torque(Log, 0, 1, 0);
      client.Thrust(Log, 0, 1, 0);
      client.Grab(Ball, 0, 0, 0, 0, 5, 0);
      client.Move(0, 6, 0);
      client.Release();
      client.Thrust(Log, 0, 0, 0);
      client.Torque(Log, 0, 0, 0);
      client.Spawn(Ball, 4, 20, 4, 0, 0, 0);
      ulong last = client.Push(Missing, 0, 1, 0);
      if (first == 0 || last != first + 9) throw new Exception("numbers of commands");
      Until(client, "a refusal", () => refused.ContainsKey(last));
      Until(client, "the flight", () => client.Poses[Log].Y > ground + 0.5);
      Until(client, "the landing", () => events.Exists(each =>
          each.Event.Kind == OrreryClient.EventKind.ContactBegin && each.Event.A == Log &&
          each.Event.B == Floor && each.Tick > 0));

      uint spawned = 0;
      Until(client, "the spawned ball", () => {
        foreach (uint id in client.Poses.Keys) if (!before.Contains(id)) spawned = id;
        return spawned != 0;
      });
      client.Remove(spawned);
      Until(client, "its end", () => !client.Poses.ContainsKey(spawned));

      var expected = new Dictionary<ulong, OrreryClient.Reason> {
        {last, OrreryClient.Reason.NoBody},
        {client.Push(Floor, 0, 1, 0), OrreryClient.Reason.Fixed},
        {client.SetGravity(0, 1, 0), OrreryClient.Reason.Role},
        {client.SetAttraction(1), OrreryClient.Reason.Role},
        {client.SetControl(Log, OrreryClient.Control.Owner, 7), OrreryClient.Reason.Role},
        {client.SetVelocity(Floor, 1, 0, 0, 0, 0, 0), OrreryClient.Reason.Role},
        {client.MoveTo(Floor, new OrreryClient.Pose { Qw = 1 }, 60), OrreryClient.Reason.Role},
        {client.Place(Log, new OrreryClient.Pose { Qw = 1 }), OrreryClient.Reason.Role},
        {client.SetMotor(999, 1, 1), OrreryClient.Reason.NoJoint},
        {client.SetTarget(999, 1, 1, 1), OrreryClient.Reason.NoJoint},
        {client.SetValue("score", "1:0"), OrreryClient.Reason.Role},
        {client.Tell(0, "goal"), OrreryClient.Reason.Role},
        {client.Move(0, 1, 0), OrreryClient.Reason.NoGrab}};
      client.Say("ready");
      if (client.Values().Count != 0) throw new Exception("values");
      Until(client, "refusals", () => refused.Count >= expected.Count);
      foreach (var each in expected)
        if (refused[each.Key] != each.Value) throw new Exception("refused: " + refused[each.Key]);
      if (client.Figures.Refused != (ulong)expected.Count) throw new Exception("count of refusals");

      OrreryClient.Pose log = client.Poses[Log];
      uint ray = client.CastRay(log.X, log.Y + 20, log.Z, 0, -40, 0);
      Until(client, "an answer", () => hits.Count > 0);
      if (hits[0].Ray != ray || hits[0].Hit.Hits != 1 || hits[0].Hit.Body != Log)
        throw new Exception("the ray hit " + hits[0].Hit.Body);
      Console.WriteLine("all commands were given");
    }
  }
}
