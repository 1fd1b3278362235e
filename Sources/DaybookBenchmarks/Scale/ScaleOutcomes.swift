/// The outcomes of all simulations of the workload `scale`. Each is computed once.
struct ScaleOutcomes {
  /// The load of a server with many logs, in one arrangement.
  enum Load {
    case exceeds(ScaleWorkload.Limit)
    case fits(SaveSimulation.Outcome)
  }

  /// The number of logs whose times are shown, and their server: the larger one with a standby.
  static let detailLogCount = 100_000
  static var detailServer: ServerFigures { ServerFigures.all[2] }

  /// The numbers of clients that connect again at once.
  private static let clientCounts = [1000, 10_000, 20_000, 30_000, 50_000]

  /// The largest numbers of logs, for each arrangement and each server.
  let capacities: [[ScaleWorkload.Capacity]]
  /// The load of the detailed server, for each arrangement.
  let loads: [Load]
  /// The storms on the larger server, for each number of clients and all pauses.
  let storms: [(clientCount: Int, outcomes: [StormSimulation.Outcome])]

  /// Runs all simulations.
  init() {
    capacities = Arrangement.all.map { arrangement in
      ServerFigures.all.map { ScaleWorkload.capacity($0, arrangement: arrangement) }
    }
    let (server, logCount) = (ScaleOutcomes.detailServer, ScaleOutcomes.detailLogCount)
    loads = Arrangement.all.map { arrangement in
      if let limit = ScaleWorkload.limit(server, arrangement: arrangement, logCount: logCount) {
        return .exceeds(limit)
      }
      return .fits(
        ScaleWorkload.outcome(server, arrangement: arrangement, logCount: logCount))
    }
    storms = ScaleOutcomes.clientCounts.map { count in
      (
        count,
        StormSimulation.Pauses.all.map {
          StormSimulation.run(ServerFigures.all[1], clientCount: count, pauses: $0)
        }
      )
    }
  }
}
