// Connects to a server from C#, pushes a wooden log of the scene `playground` upwards, and prints
// where it flies.
//
//   mcs -unsafe Fly.cs Client.cs && LD_LIBRARY_PATH=... mono Fly.exe 127.0.0.1:4770
using System;

static class Fly {
  const uint Log = 37, Wall = 43;  // ids of bodies

  static void Say(OrreryClient client) {
    if (!client.Poses.ContainsKey(Log) || !client.Poses.ContainsKey(Wall)) return;  // lost
    OrreryClient.Pose log = client.Poses[Log], wall = client.Poses[Wall];
    Console.WriteLine("tick {0:F2}: log at {1:F3}, {2:F3}, {3:F3}; wall at {4:F3}, {5:F3}, {6:F3}",
        client.Tick, log.X, log.Y, log.Z, wall.X, wall.Y, wall.Z);
  }

  static void Main(string[] args) {
    using (var client = new OrreryClient(args[0])) {
      while (!client.Poses.ContainsKey(Log) && !client.Ended) client.Update(1 / 60.0);
      if (client.Ended) throw new Exception(client.Problem);
      Say(client);
      float start = client.Poses[Log].Y;
      client.Push(Log, 0, 30, 0);
      while (client.Poses.ContainsKey(Log) && client.Poses[Log].Y < start + 1 && !client.Ended)
        client.Update(1 / 60.0);
      Say(client);
    }
  }
}
