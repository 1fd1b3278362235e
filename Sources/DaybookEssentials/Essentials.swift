// Re-exports the types of Foundation that need no data about languages and regions, such as `Date`,
// `Data`, `UUID`, `Decimal` and `Predicate`.
//
// On Apple's systems these types are available only in Foundation. Other files import this module,
// so that only this file chooses between the two.
#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif
