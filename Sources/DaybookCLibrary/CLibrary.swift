// Re-exports the C library of the operating system. Only the target DaybookPlatform imports this
// module.
#if canImport(Darwin)
  @_exported import Darwin
#elseif canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Android)
  @_exported import Android
#elseif canImport(Bionic)
  @_exported import Bionic
#endif
