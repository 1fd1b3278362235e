// The types of Foundation that need no data of languages and regions: `Date`, `Data`, `UUID`, `Decimal`, `Predicate`.
//
// Apple's systems have them in Foundation only. Files import this module, so that the choice is made in one place.
#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif
