import Daybook
import DaybookPlatform
import DaybookTesting
import Foundation
import Testing

/// The localized description of an error in Foundation is the message of the error.
@Suite struct `The localized description of an error` {
  private func thrown(_ body: () throws -> Void) throws -> any Error {
    do { try body() } catch { return error }
    throw CocoaError(.featureUnsupported)
  }

  @Test func `the localized description of a request error is its message`() throws {
    let store = try store([])
    let error = try thrown { _ = try store.snapshot.fetch(ListRequest<Stop>(sortedBy: [])) }
    #expect(error is RequestError)
    #expect(
      error.localizedDescription
        == "the request for Stop has no sort key; add one to sortedBy.")
  }

  @Test func `the localized description of a filter error is its message`() throws {
    let error = try thrown { _ = try Filter("name ==") }
    #expect(error is FilterError)
    #expect(error.localizedDescription == "\(error)")
    #expect(!"\(error)".hasPrefix("FilterError("))
  }

  @Test func `the localized description of a store error is its message`() throws {
    let store = try store([])
    let error = try thrown { _ = try store.snapshot(at: 7) }
    #expect(error is StoreError)
    #expect(error.localizedDescription == "\(error)")
    #expect(!"\(error)".hasPrefix("StoreError("))
  }

  @Test func `the localized descriptions of journal and disk errors are their messages`() throws {
    let path = "/no/such/folder/stops.daybook"
    let error = try thrown { _ = try FileJournal(at: path) }
    #expect(error is JournalError)
    #expect(error.localizedDescription == "\(error)")
    let refusal = try thrown { _ = try SystemDisk().open(path, for: .reading) }
    #expect(refusal is DiskError)
    #expect(refusal.localizedDescription == "\(refusal)")
  }
}
