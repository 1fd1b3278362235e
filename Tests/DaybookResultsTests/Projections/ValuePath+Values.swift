import DaybookResults
import DaybookStore

extension ValuePath {
  /// The integer of 64 bits that a path leads to.
  func number(of row: RowLocation, in state: FrozenState) -> Int64? {
    withBytes(of: row, in: state) { bytes -> Int64? in
      guard let bytes else { return nil }
      return bytes.number(at: 0, as: Int64.self)
    }
  }

  /// The text that a path leads to.
  func text(of row: RowLocation, in state: FrozenState) -> String? {
    withBytes(of: row, in: state) { bytes -> String? in
      guard let bytes else { return nil }
      return RowText.text(bytes)
    }
  }
}
