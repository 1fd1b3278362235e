/// The figures of a PostgreSQL server that the simulation of many logs starts from.
///
/// The default values were measured with PostgreSQL 15 on a virtual machine with two processors, on
/// 2026-11-27. `Notes/Sharing.md` describes how. All times are in seconds.
struct ServerFigures {
  var name: String
  var processorCount: Int
  var memoryByteCount: Double
  /// The time until a synchronous standby has confirmed a commit; 0 without a standby.
  var standbySeconds = 0.0
  /// The processor time of one append of a group of 200 bytes.
  var appendSeconds = 160e-6
  /// The processor time of one read that returns one group.
  var readSeconds = 58e-6
  /// The processor time of one new connection.
  var connectSeconds = 5.8e-3
  /// The processor time of one notification in each session of the database that listens.
  var wakeSeconds = 20e-6
  /// The time of one write and sync of the write-ahead log, while the machine does nothing else.
  var flushSeconds = 0.22e-3
  /// The memory of one session.
  var sessionByteCount = 2.0e6
  /// The bytes that one append writes to the write-ahead log, without images of pages.
  var appendLogByteCount = 520.0
  /// The bytes of one group of 200 bytes in the table and its two indexes.
  var groupByteCount = 360.0
  /// The appends of machines that wrote to one log at the same time, and the groups among them that
  /// did not lose.
  var rivals = (machineCount: 8, attemptCount: 82_800, groupCount: 21_300)

  /// The measured machine, and two larger servers that are assumed. Nothing but the processors, the
  /// memory and the standby differs.
  static let all = [
    ServerFigures(name: "2 processors, 16 GB", processorCount: 2, memoryByteCount: 16e9),
    ServerFigures(name: "32 processors, 256 GB", processorCount: 32, memoryByteCount: 256e9),
    ServerFigures(
      name: "32 processors, a synchronous standby 1 ms away", processorCount: 32,
      memoryByteCount: 256e9, standbySeconds: 1e-3),
  ]
}

/// The assumptions of the simulation about the load, the network and the disk.
enum LoadAssumptions {
  /// The number of open replicas of a log.
  static let replicaCount = 3
  /// The number of seconds between two saves of one replica, on average.
  static let saveIntervalSeconds = 60.0
  /// The time of a message from a machine to the server, or back.
  static let networkSeconds = 0.25e-3
  /// The share of the memory that sessions may use. The rest is for the pages of the tables.
  static let sessionMemoryShare = 0.25
  /// The number of bytes a second that the disk writes to the write-ahead log.
  static let diskByteRate = 200e6
  /// The time between two checkpoints of the server, its default setting. The first change of a
  /// page after a checkpoint writes the whole page to the write-ahead log.
  static let checkpointSeconds = 300.0
  static let pageByteCount = 8192.0
  /// The number of pages that each log changes: one of each index. Pages of the table are shared.
  static let changedPageCount = 2.0
  /// The number of server processes that open all logs together, in the later arrangements.
  static let processCount = 50
  /// The number of connections of each of them.
  static let connectionCount = 9
  /// The size of the queue of notifications of a server.
  static let notificationQueueByteCount = 8e9
  /// The size of a notification in the queue: its header, the channel and a number.
  static let notificationByteCount = 64.0
  /// The number of changes a second of one list with many followers.
  static let changeRate = 10.0
  /// The number of followers that a follower feeds.
  static let fedCount = 100
}

/// A way in which machines use a server.
struct Arrangement {
  var name: String
  /// A Boolean value that indicates whether each replica has two connections: one for calls and
  /// one for notifications.
  var connectsEachReplica = false
  var notifies = true
  /// The time between two reads of a process that gets no notifications.
  var pollSeconds = 0.25
  /// The number of times that each group is read from the server.
  var readCount = LoadAssumptions.replicaCount - 1
  /// The number of servers, each of which has an equal part of the logs.
  var serverCount = 1

  static let all = [
    Arrangement(name: "1. two connections for each replica", connectsEachReplica: true),
    Arrangement(name: "2. 50 processes share connections"),
    Arrangement(name: "3. as 2, with a read every 250 ms instead of `NOTIFY`", notifies: false),
    Arrangement(
      name: "4. as 3, with followers that read from followers", notifies: false, readCount: 1),
    Arrangement(
      name: "5. as 4, with the logs divided among 16 servers", notifies: false, readCount: 1,
      serverCount: 16),
  ]

  func connectionCount(logCount: Int) -> Int {
    connectsEachReplica
      ? 2 * LoadAssumptions.replicaCount * logCount / serverCount
      : LoadAssumptions.processCount * LoadAssumptions.connectionCount
  }

  func listenerCount(logCount: Int) -> Int {
    guard notifies else { return 0 }
    return connectsEachReplica
      ? LoadAssumptions.replicaCount * logCount : LoadAssumptions.processCount
  }
}
