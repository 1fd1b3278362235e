import DaybookPlatform

// The names of version 0.2. They are removed in version 0.4.

extension FaultPlan {
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
