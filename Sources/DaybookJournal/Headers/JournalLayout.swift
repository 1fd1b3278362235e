/// Where things stand in a journal file.
///
/// ```
///      0  header, first copy    ┐ never rewritten
///   4096  header, second copy   ┘
///   8192  durable mark          ┐ written in turn
///  12288  durable mark          ┘
///  16384  frames, without a gap, then zeros to the end
/// ```
///
/// Each of the first four has a page of 4 KiB to itself, so that no write of one can harm another.
package enum JournalLayout {
  package static let pageByteCount = 4096
  package static let headerOffsets: [UInt64] = [0, 4096]
  package static let markOffsets: [UInt64] = [8192, 12288]
  package static let firstFrameOffset: UInt64 = 16384
}
