extension RecordSchema {
  // MARK: References

  /// Adds a reference to one record.
  ///
  /// If the record that it refers to is deleted, the reference becomes nil. To declare another
  /// effect, pass `whenDeleted`.
  ///
  /// A save can set a required or checked reference only to a record that exists. This is checked
  /// at the start of the save, and again when the transaction is numbered. It is not checked when
  /// the reference changes, so a record may be inserted before the record that it refers to. A
  /// record with a required reference to it cannot be deleted, regardless of the delete rule. An
  /// import does not check references.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isRequired: A Boolean value that indicates whether the reference must have a value.
  ///   - isChecked: A Boolean value that indicates whether an optional reference is checked.
  ///     Deleting the record that it points to sets it to nil.
  ///   - inverse: The name of the inverse: the records that refer to a record. The inverse is
  ///     computed and never stored; see ``StoreSnapshot/inverse(_:of:id:)``. If the other entity
  ///     has an attribute with this name, it must be a reference back, and is stored separately.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
  @inlinable
  public func reference<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, Reference<Target>?> & Sendable,
    required isRequired: Bool = false, checked isChecked: Bool = false, inverse: String? = nil,
    renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    reference(
      name, at: keyPath, required: isRequired, checked: isChecked, inverse: inverse,
      whenDeleted: .nullify, renamedFrom: earlierName)
  }

  /// Adds a reference to one record, with the effect of deleting that record.
  ///
  /// ```swift
  /// .reference("project", at: \.project, inverse: "issues", whenDeleted: .cascade)
  /// ```
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
  ///   - inverse: The name of the inverse; see the reference without a rule.
  ///   - rule: The effect on this record if the record that it refers to is deleted.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
  @inlinable
  public func reference<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, Reference<Target>?> & Sendable,
    required isRequired: Bool = false, checked isChecked: Bool = false, inverse: String? = nil,
    whenDeleted rule: DeleteRule, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<Reference<Target>?>(renamedFrom: earlierName)
    options.isRequired = isRequired
    options.isChecked = isChecked
    options.inverse = inverse
    options.declare(whenDeleted: rule)
    return adding(.make(name, at: keyPath, options: options))
  }

  /// Adds references to any number of records.
  ///
  /// If one of these records is deleted, the array loses its reference. To declare another effect,
  /// pass `whenDeleted`.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isChecked: A Boolean value that indicates whether a save refuses to add references to
  ///     records that do not exist.
  ///   - inverse: The name of the inverse; see the reference to one record.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
  @inlinable
  public func references<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, [Reference<Target>]> & Sendable,
    checked isChecked: Bool = false, inverse: String? = nil,
    renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    references(
      name, at: keyPath, checked: isChecked, inverse: inverse, whenDeleted: .nullify,
      renamedFrom: earlierName)
  }

  /// Adds references to any number of records, with the effect of deleting one of these records.
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
    whenDeleted rule: DeleteRule, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<[Reference<Target>]>(renamedFrom: earlierName)
    options.isChecked = isChecked
    options.inverse = inverse
    options.declare(whenDeleted: rule)
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
  /// If the owned record is deleted, the reference becomes nil.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isRequired: A Boolean value that indicates whether the reference must have a value.
  ///   - isChecked: A Boolean value that indicates whether an optional reference is checked.
  ///   - inverse: The name of the inverse; see the reference without a rule.
  ///   - rule: The effect on the owned record if this record is deleted. With `deny`, this record
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

  /// Adds references to records that this record owns: deleting this record deletes the owned
  /// records too.
  ///
  /// If an owned record is deleted, the array loses its reference.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isChecked: A Boolean value that indicates whether a save refuses to add references to
  ///     records that do not exist.
  ///   - inverse: The name of the inverse; see the reference to one record.
  ///   - rule: The effect on the owned records if this record is deleted. With `deny`, this record
  ///     cannot be deleted while one of them exists.
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
  /// for `cascade` and `deny`, and `whenDeleted` for the other rules.
  @available(
    *, unavailable,
    message:
      "use owned(_:at:) for cascade, owned(_:at:whenOwnerDeleted:) for deny, and whenDeleted: .none for none"
  )
  public func reference<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, Reference<Target>?> & Sendable,
    required isRequired: Bool = false, checked isChecked: Bool = false, inverse: String? = nil,
    onDelete deleteRule: DeleteRule, renamedFrom earlierName: String? = nil
  ) -> RecordSchema { self }

  /// Is not available. Use ``owned(_:at:checked:inverse:whenOwnerDeleted:renamedFrom:)`` for
  /// `cascade` and `deny`, and `whenDeleted` for the other rules.
  @available(
    *, unavailable,
    message:
      "use owned(_:at:) for cascade, owned(_:at:whenOwnerDeleted:) for deny, and whenDeleted: .none for none"
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
