import DaybookResults
import DaybookStore

/// A moment of a list that is shared: which state of which journal it shows.
package struct ListMoment: Sendable {
  package var snapshot: ResultSnapshot
  package var generation: Int
  package var sequence: SequenceNumber

  package init(snapshot: ResultSnapshot, generation: Int, sequence: SequenceNumber) {
    self.snapshot = snapshot
    self.generation = generation
    self.sequence = sequence
  }

  package func isSame(as other: ListMoment) -> Bool {
    generation == other.generation && sequence == other.sequence
  }
}

/// What a subscriber knows, and so what it is to be told next. It does nothing itself.
///
/// | it knows | the list shows | it is told |
/// | -------- | -------------- | ---------- |
/// | nothing | anything | all there is |
/// | something too old | anything | all there is, as a reset |
/// | a moment | the same moment | nothing yet |
/// | a moment | a later one | what happened in between |
/// | a moment of another journal | anything | all there is, as a reset |
package enum SubscriberPosition: Sendable {
  case nothing
  /// More than nothing, of which nobody can say what has happened since.
  case tooOld
  case at(ListMoment)

  package enum Step {
    case begin
    case beginAnew
    case compare(with: ListMoment)
    case wait
  }

  /// Goes on to the moment that the list shows.
  package mutating func step(to head: ListMoment) -> Step {
    let before = self
    self = .at(head)
    switch before {
    case .nothing: return .begin
    case .tooOld: return .beginAnew
    case .at(let known) where known.generation != head.generation: return .beginAnew
    case .at(let known) where known.sequence == head.sequence: return .wait
    case .at(let known): return .compare(with: known)
    }
  }
}
