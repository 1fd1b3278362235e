import Daybook
import DaybookFoundation
import Foundation
import TestSupport
import Testing

/// Lists sorted by comparators of Foundation have the order of sorted arrays.
@Suite struct `Sort orders of Foundation` {
  private func descriptors(_ order: SortOrder) -> [SortDescriptor<Stop>] {
    [
      SortDescriptor(\.name, order: order), SortDescriptor(\.remark, order: order),
      SortDescriptor(\.name, comparator: .lexical, order: order),
      SortDescriptor(\.remark, comparator: .lexical, order: order),
      SortDescriptor(\.platform, order: order), SortDescriptor(\.passengers, order: order),
      SortDescriptor(\.length, order: order), SortDescriptor(\.width, order: order),
      SortDescriptor(\.price, order: order), SortDescriptor(\.time, order: order),
      SortDescriptor(\.departure, order: order), SortDescriptor(\.code, order: order),
      SortDescriptor(\.id, order: order),
    ]
  }

  private func comparators(_ order: SortOrder) -> [KeyPathComparator<Stop>] {
    [
      KeyPathComparator(\.name, order: order), KeyPathComparator(\.remark, order: order),
      KeyPathComparator(\.name, comparator: ComparableComparator(), order: order),
      KeyPathComparator(\.remark, comparator: String.StandardComparator.lexical, order: order),
      KeyPathComparator(\.platform, order: order), KeyPathComparator(\.passengers, order: order),
      KeyPathComparator(\.length, order: order), KeyPathComparator(\.width, order: order),
      KeyPathComparator(\.price, order: order), KeyPathComparator(\.time, order: order),
      KeyPathComparator(\.departure, order: order), KeyPathComparator(\.code, order: order),
      KeyPathComparator(\.id, order: order),
    ]
  }

  @Test func `sort descriptors order rows as they order arrays`() throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 3000)) {
      var crowd = StopCrowd(seed: seed)
      let stops = crowd.stops(30)
      let store = try store(stops)
      for order in [SortOrder.forward, .reverse] {
        let (descriptors, comparators) = (descriptors(order), comparators(order))
        for place in descriptors.indices {
          let other = crowd.below(descriptors.count)
          let two = [descriptors[place], descriptors[other]]
          #expect(
            try store.snapshot.fetchIdentifiers(ListRequest<Stop>(sortedBy: two))
              == stops.sorted(using: two).map(\.id),
            "seed \(seed), \(order) by descriptors \(place) and \(other)")
          let three = [comparators[place], comparators[other]]
          #expect(
            try store.snapshot.fetchIdentifiers(ListRequest<Stop>(sortedBy: three))
              == stops.sorted(using: three).map(\.id),
            "seed \(seed), \(order) by comparators \(place) and \(other)")
        }
      }
    }
  }

  @Test func `sort descriptors make the same requests as sort keys`() throws {
    let request = try ListRequest<Stop>(
      filter: \Stop.platform > 0,
      sortedBy: [SortDescriptor(\Stop.name), SortDescriptor(\.time, order: .reverse)],
      sectionedBy: .by(\Stop.name), limit: 3, offset: 1, batchSize: 20)
    #expect(
      request
        == ListRequest<Stop>(
          filter: \Stop.platform > 0, sortedBy: [.ascending(\Stop.name), .descending(\Stop.time)],
          sectionedBy: .by(\Stop.name), limit: 3, offset: 1, batchSize: 20))
    let other = try ListRequest<Stop>(
      filter: \Stop.platform > 0, sortedBy: [KeyPathComparator(\.code, order: .reverse)],
      sectionedBy: .by(\Stop.name), limit: 3, offset: 1, batchSize: 20)
    #expect(other.sortKeys == [.descending(\Stop.code)])
    #expect(other.limit == 3 && other.offset == 1 && other.batchSize == 20)
    #expect(other.filter == request.filter && other.sectioning == request.sectioning)
    #expect(ListRequest<Stop>(sortedBy: []).sortKeys.isEmpty)
    #expect(
      ListRequest<Stop>(sortedBy: [.ascending(\Stop.name), try SortKey(SortDescriptor(\Stop.id))])
        .sortKeys == [.ascending(\Stop.name), .ascending(\Stop.id)])
  }

  private func problem(_ make: () throws -> SortKey) -> String {
    do { return "\(try make())" } catch { return "\(error)" }
  }

  @Test func `localized sort descriptors are refused`() throws {
    // On Linux every comparator of a descriptor is lexical; on other platforms only if requested.
    #expect(
      problem { try OrderedProperty(\Stop.name).sortKey(.reverse, isLexical: false) }
        == """
        sorting by name: the comparator depends on a language, but lists have one order for all \
        languages. Use natural instead.
        """)
    let other = """
      sorting by remark: lists are sorted by the values, but the comparator may compare them \
      differently. Use one of plain, caseInsensitive, caseAndDiacriticInsensitive and natural.
      """
    for comparator in [
      String.Comparator(options: [.numeric]), String.Comparator(options: [.caseInsensitive]),
    ] {
      #expect(
        problem { try SortKey(KeyPathComparator(\Stop.remark, comparator: comparator)) } == other)
    }
  }

  /// Compares numbers by their distance from zero.
  private struct Distance: SortComparator {
    var order = SortOrder.forward
    func compare(_ one: Int8, _ other: Int8) -> ComparisonResult {
      let order = ComparableComparator<UInt8>(order: order)
      return order.compare(one.magnitude, other.magnitude)
    }
  }

  @Test func `sort orders that rows do not support are refused`() throws {
    #expect(
      problem { try SortKey(KeyPathComparator(\Stop.platform, comparator: Distance())) }
        == """
        sorting by platform: lists are sorted by the values, but the comparator may compare them \
        differently.
        """)
    let own =
      "sorting by load: Load can define its own order, but lists are sorted by stored values."
    #expect(problem { try SortKey(SortDescriptor(\Stop.load)) } == own)
    #expect(problem { try SortKey(KeyPathComparator(\Stop.load)) } == own)
    #expect(throws: RequestError.self) {
      try ListRequest<Stop>(sortedBy: [SortDescriptor(\.name), SortDescriptor(\.load)])
    }
    #expect(throws: RequestError.self) {
      try ListRequest<Stop>(sortedBy: [KeyPathComparator(\.name), KeyPathComparator(\.load)])
    }
  }

  @Test func `sort orders by a property that is no attribute are refused by the list`() throws {
    let store = try store([])
    let request = try ListRequest<Stop>(sortedBy: [SortDescriptor(\.shout)])
    #expect {
      try store.snapshot.fetch(request)
    } throws: {
      "\($0)" == """
        Stop has no attribute '\\Stop.<computed>'; it has id, name, remark, platform, passengers, \
        length, width, price and 4 more.
        """
    }
  }
}
