/// A priority queue of events, ordered by time. Events with equal times keep the order of their
/// insertion.
struct EventQueue<Event> {
  private struct Entry {
    var time: Double
    var number: Int
    var event: Event

    static func < (one: Entry, other: Entry) -> Bool {
      one.time == other.time ? one.number < other.number : one.time < other.time
    }
  }

  private var heap: [Entry] = []
  private var insertionCount = 0

  var isEmpty: Bool { heap.isEmpty }

  /// The time of the next event; nil if there is no event.
  var nextTime: Double? { heap.first?.time }

  mutating func insert(_ event: Event, at time: Double) {
    heap.append(Entry(time: time, number: insertionCount, event: event))
    insertionCount += 1
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() -> (time: Double, event: Event)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return (first.time, first.event) }
    heap[0] = last
    var index = 0
    while true {
      let (left, right) = (2 * index + 1, 2 * index + 2)
      var least = index
      if left < heap.count, heap[left] < heap[least] { least = left }
      if right < heap.count, heap[right] < heap[least] { least = right }
      if least == index { return (first.time, first.event) }
      heap.swapAt(index, least)
      index = least
    }
  }
}
