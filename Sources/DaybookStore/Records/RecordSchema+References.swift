extension RecordSchema {
  // MARK: References

  /// Adds a reference to one record.
  ///
  /// ```swift
  /// .reference("project", at: \.project, inverse: "issues", whenTargetDeleted: .cascade)
  /// ```
  ///
  /// If the record that it refers to is deleted, the reference remains and is read as nil. It leads
  /// to a record again if one is inserted with the same identifier. For a different effect, pass
  /// `whenTargetDeleted`.
  ///
  /// A save can set a required or checked reference only to a record that exists. This is checked
  /// at the start of the save, and again when the transaction is numbered. It is not checked when
  /// the reference changes, so a record may be inserted before the record that it refers to. A
  /// record with a required reference to it cannot be deleted, unless the rule is `cascade`. An
  /// import does not check references.
  ///
  /// With `cascade` or `deny` the reference is checked: a save cannot set it to a record that does
  /// not exist. The rules are applied at each boundary, and again when the transaction is numbered.
  /// So they include records that other writers have inserted in the meantime.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isRequired: A Boolean value that indicates whether the reference must have a value.
  ///   - isChecked: A Boolean value that indicates whether an optional reference is checked.
  ///   - inverse: The name of the inverse: the records that refer to a record. The inverse is
  ///     computed and never stored. Requests read it like an attribute; see also
  ///     ``StoreSnapshot/records(referringTo:of:by:)``. The other entity must not have an attribute
  ///     or another inverse with this name.
  ///   - rule: The effect on this record if the record that it refers to is deleted.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
  @inlinable
  public func reference<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, Reference<Target>?> & Sendable,
    required isRequired: Bool = false, checked isChecked: Bool = false, inverse: String? = nil,
    whenTargetDeleted rule: DeleteRule = .keep, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<Reference<Target>?>(renamedFrom: earlierName)
    options.isRequired = isRequired
    options.isChecked = isChecked
    options.inverse = inverse
    options.declare(whenTargetDeleted: rule)
    return adding(.make(name, at: keyPath, options: options))
  }

  /// Adds references to any number of records.
  ///
  /// If one of these records is deleted, its reference remains in the array and is left out when
  /// the array is read through a request. To declare a different effect, pass `whenTargetDeleted`.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isChecked: A Boolean value that indicates whether a save refuses to add references to
  ///     records that do not exist. With the rule `deny` it does so in any case.
  ///   - inverse: The name of the inverse; see the reference to one record.
  ///   - rule: The effect on this record if a record that it refers to is deleted. It cannot be
  ///     `cascade`.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
  @inlinable
  public func references<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, [Reference<Target>]> & Sendable,
    checked isChecked: Bool = false, inverse: String? = nil,
    whenTargetDeleted rule: DeleteRule = .keep, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<[Reference<Target>]>(renamedFrom: earlierName)
    options.isChecked = isChecked
    options.inverse = inverse
    options.declare(whenTargetDeleted: rule)
    return adding(.make(name, at: keyPath, options: options))
  }

  // MARK: Ownership

  /// Adds a reference to a record that this record owns: deleting this record deletes the owned
  /// record too.
  ///
  /// ```swift
  /// .owned("details", at: \.details)
  /// ```
  ///
  /// If only the owned record is deleted, the reference becomes nil. If the reference is required,
  /// that deletion is refused.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isRequired: A Boolean value that indicates whether the reference must have a value.
  ///   - isChecked: A Boolean value that indicates whether an optional reference is checked.
  ///   - inverse: The name of the inverse; see the reference to one record.
  ///   - rule: The effect on the owned record if its owner is deleted. With `deny`, the owner
  ///     cannot be deleted while the owned record exists.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
  @inlinable
  public func owned<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, Reference<Target>?> & Sendable,
    required isRequired: Bool = false, checked isChecked: Bool = false, inverse: String? = nil,
    whenOwnerDeleted rule: OwnerDeleteRule = .cascade, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<Reference<Target>?>(renamedFrom: earlierName)
    options.isRequired = isRequired
    options.isChecked = isChecked
    options.inverse = inverse
    options.ownDeleteRule = rule.deleteRule
    return adding(.make(name, at: keyPath, options: options))
  }

  /// Adds references to any number of records that this record owns: deleting this record deletes
  /// the owned records too.
  ///
  /// If only an owned record is deleted, its reference is removed from the array.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isChecked: A Boolean value that indicates whether a save refuses to add references to
  ///     records that do not exist.
  ///   - inverse: The name of the inverse; see the reference to one record.
  ///   - rule: The effect on the owned records if their owner is deleted. With `deny`, the owner
  ///     cannot be deleted while one of its owned records exists.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
  @inlinable
  public func owned<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, [Reference<Target>]> & Sendable,
    checked isChecked: Bool = false, inverse: String? = nil,
    whenOwnerDeleted rule: OwnerDeleteRule = .cascade, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<[Reference<Target>]>(renamedFrom: earlierName)
    options.isChecked = isChecked
    options.inverse = inverse
    options.ownDeleteRule = rule.deleteRule
    return adding(.make(name, at: keyPath, options: options))
  }
}

extension RecordSchema {
  // MARK: Earlier names

  /// Is not available. Use ``owned(_:at:required:checked:inverse:whenOwnerDeleted:renamedFrom:)``
  /// for `cascade` and `deny`, and `whenTargetDeleted` for the other rules.
  @available(
    *, unavailable,
    message:
      "use owned(_:at:) for cascade, owned(_:at:whenOwnerDeleted:) for deny, and whenTargetDeleted: .keep for none"
  )
  public func reference<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, Reference<Target>?> & Sendable,
    required isRequired: Bool = false, checked isChecked: Bool = false, inverse: String? = nil,
    onDelete deleteRule: DeleteRule, renamedFrom earlierName: String? = nil
  ) -> RecordSchema { self }

  /// Is not available. Use ``owned(_:at:checked:inverse:whenOwnerDeleted:renamedFrom:)`` for
  /// `cascade` and `deny`, and `whenTargetDeleted` for the other rules.
  @available(
    *, unavailable,
    message:
      "use owned(_:at:) for cascade, owned(_:at:whenOwnerDeleted:) for deny, and whenTargetDeleted: .keep for none"
  )
  public func references<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, [Reference<Target>]> & Sendable,
    checked isChecked: Bool = false, inverse: String? = nil,
    onDelete deleteRule: DeleteRule, renamedFrom earlierName: String? = nil
  ) -> RecordSchema { self }
}

/// The effect of deleting a record on the records that it owns.
public enum OwnerDeleteRule: Hashable, Sendable {
  /// The owned records are deleted too.
  case cascade
  /// The owner cannot be deleted while an owned record exists.
  case deny

  @usableFromInline
  var deleteRule: DeleteRule {
    switch self {
    case .cascade: .cascade
    case .deny: .deny
    }
  }
}
