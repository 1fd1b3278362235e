import DaybookPlatform

// The names of version 0.2. They are removed in version 0.4.

extension FaultPlan {
  /// The earlier name of ``failAlways(from:with:only:)``.
  @available(*, deprecated, renamed: "failAlways(from:with:only:)")
  public static func failForEver(
    from call: Int, with code: Int32, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan { failAlways(from: call, with: code, only: operations) }

  /// The earlier name of ``shortAlways(from:only:)``.
  @available(*, deprecated, renamed: "shortAlways(from:only:)")
  public static func shortForEver(
    from call: Int = 1, only operations: Set<DiskError.Operation>? = nil
  ) -> FaultPlan { shortAlways(from: call, only: operations) }

  /// The earlier name of ``ignoreSync(from:only:)``.
  @available(*, deprecated, renamed: "ignoreSync(from:only:)")
  public static func lieOnSync(
    from sync: Int = 1, only operations: Set<DiskError.Operation> = [.sync, .syncDirectory]
  ) -> FaultPlan { ignoreSync(from: sync, only: operations) }

  /// The earlier name of ``combined(with:)``.
  @available(*, deprecated, renamed: "combined(with:)")
  public func and(_ other: FaultPlan) -> FaultPlan { combined(with: other) }
}

extension LogFaultPlan {
  /// The earlier name of ``combined(with:)``.
  @available(*, deprecated, renamed: "combined(with:)")
  public func and(_ other: LogFaultPlan) -> LogFaultPlan { combined(with: other) }
}

extension SimulatedDisk {
  /// The earlier name of ``clearLog()``.
  @available(*, deprecated, renamed: "clearLog()")
  public func forgetCalls() { clearLog() }
}
