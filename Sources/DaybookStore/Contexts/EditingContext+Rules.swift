extension EditingContext {
  /// Does what the references of deleted records say, within the same boundary.
  func applyDeleteRules() {
  }

  /// Finds every record that may not be saved as it is.
  func validate() throws(StoreError) {
  }
}
