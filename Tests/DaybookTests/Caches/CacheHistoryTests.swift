import Daybook
import DaybookJournal
import DaybookTesting
import TestSupport
import Testing

/// The law: a list from a cache equals a list that is computed, for any history after the cache was
/// written. The two then receive equal differences.
@Suite struct `Caches over random histories` {
  @Test func `a list from a cache equals a computed list`() throws {
    var origins: [String: Int] = [:]
    for seed in 0..<UInt64(FaultRow.count(300, full: 5000)) {
      var changes = GameChanges(seed: seed)
      var place = CachePlace()
      try place.session { _, context in
        for _ in 0..<12 { try changes.change(context) }
        try context.saveAndWait()
      }
      var requests = (0..<2).map { _ in changes.request() }
      var earlier: [SimulatedDisk] = []
      for launch in 0..<6 {
        if changes.below(8) == 0 { requests[changes.below(2)] = changes.request() }
        if changes.below(4) == 0 { earlier.append(place.disk.copy()) }
        // The journal of an earlier day is restored, and the caches stay.
        if changes.below(6) == 0, let disk = earlier.randomElement(using: &changes.random) {
          let files = [place.file("one"), place.file("two")]
          place = CachePlace(disk.copy())
          for (name, file) in zip(["one", "two"], files) {
            if let file { place.setFile(file, name) }
          }
        }
        let what = "seed \(seed), launch \(launch)"
        let store = try place.open()
        try live(requests, store, &changes, &origins, what)
        // A store that ends without closing finishes at most the write in progress.
        if changes.below(3) > 0 {
          try store.closeAndWait()
        } else {
          store.derivedWork.waitUntilIdle()
          place.disk.killProcess()
        }
      }
    }
    // Of each kind there were some.
    for origin in ["reused", "caught up", "rebuilt because it is the cache of another list"] {
      #expect(origins.contains { $0.key.hasPrefix(origin) && $0.value > 2 }, "\(origins)")
    }
  }

  private func live(
    _ requests: [ListRequest<Game>], _ store: Store, _ changes: inout GameChanges,
    _ origins: inout [String: Int], _ what: String
  ) throws {
    let context = store.makeContext()
    context.mergePolicy = .contextWins
    let other = store.makeContext()
    other.mergePolicy = .contextWins
    if changes.below(4) == 0 { try changes.change(context) }
    let controllers = try zip(requests, ["one", "two"]).map {
      try CachePlace.controller($0, context, $1)
    }
    for controller in controllers {
      origins[try CachePlace.origin(controller), default: 0] += 1
    }
    var followers: [TableFollower] = []
    if changes.below(4) > 0 {
      for controller in controllers {
        let follower = TableFollower(controller)
        controller.isBatchSafe = true
        controller.delegate = follower
        followers.append(follower)
      }
    }
    for _ in 0..<changes.below(6) {
      switch changes.below(6) {
      case 0: try context.rollback()
      case 1:
        try changes.change(other)
        try other.saveAndWait()
        try context.mergeChanges()
      case 2, 3:
        for _ in 0...changes.below(3) { try changes.change(context) }
        try context.saveAndWait()
      default:
        try changes.change(context)
        context.processPendingChanges()
      }
      for (controller, follower) in zip(controllers, followers) {
        let fresh = try CachePlace.controller(controller.fetchRequest, context, nil)
        #expect(shown(controller) == shown(fresh), "\(what)")
        #expect(follower.table.sections == shown(fresh), "\(what)")
        #expect(follower.error == nil, "\(what)")
      }
    }
  }
}
