/// What a change does to a record.
package enum ChangeKind: UInt8, Sendable {
  case insert = 1
  case update = 2
  case delete = 3
}
