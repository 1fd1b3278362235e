import DaybookJournal

/// The part of a journal's file in which every row was found whole before anybody asked for one.
@usableFromInline
package struct CheckedRange: Sendable {
  @usableFromInline let start: UInt64
  @usableFromInline let byteCount: UInt64

  init(of file: ByteView, _ lateChecks: LateChecks?) {
    let end = UInt64(file.count)
    start = lateChecks.map { $0.isDone ? 0 : min($0.endOffset, end) } ?? 0
    byteCount = end - start
  }

  @inlinable @inline(__always)
  package func contains(_ location: RowLocation) -> Bool { location.rawValue &- start < byteCount }
}
