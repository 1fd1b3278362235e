extension RecordSchema {
  // MARK: References

  /// Adds a reference to one record.
  ///
  /// If the record that it refers to is deleted, the reference becomes nil. To declare a different
  /// effect, pass `whenDeleted`.
  ///
  /// A save is refused if it sets a required or checked reference to a record that does not exist.
  /// The store checks this at the start of the save, and again when the transaction gets its
  /// number. The store does not check a reference at the moment when a context changes the
  /// reference. Therefore a program may insert a record before the record that it refers to. While
  /// a record has a required reference to a target, the target cannot be deleted, whether the rule
  /// is `nullify` or `none`. An import does not check references.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isRequired: A Boolean value that indicates whether the reference must have a value.
  ///   - isChecked: A Boolean value that indicates whether an optional reference is checked. If the
  ///     record that it refers to is deleted, the reference becomes nil.
  ///   - inverse: The name of the inverse: the list of records that refer to a target. The store
  ///     computes this list and never stores it; see ``StoreSnapshot/inverse(_:of:id:)``. If the
  ///     target entity has an attribute with this name, that attribute must be a reference back.
  ///     The store then keeps both attributes, and a change of one does not change the other.
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

  /// Adds a reference to one record, and declares the effect of deleting that record.
  ///
  /// ```swift
  /// .reference("project", at: \.project, inverse: "issues", whenDeleted: .cascade)
  /// ```
  ///
  /// With `cascade` or `deny` the reference is checked: a save is refused if it sets the reference
  /// to a record that does not exist. A context applies the delete rules at each boundary. The
  /// store applies the rules again when the transaction gets its number. So the rules also apply to
  /// records that other writers have inserted after the context's last merge.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isRequired: A Boolean value that indicates whether the reference must have a value.
  ///   - isChecked: A Boolean value that indicates whether an optional reference is checked.
  ///   - inverse: The name of the inverse; see the reference without a rule.
  ///   - rule: The effect on the record with the reference if the record that it refers to is
  ///     deleted.
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
  /// If one of these records is deleted, its reference is removed from the array. To declare a
  /// different effect, pass `whenDeleted`.
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

  /// Adds references to any number of records, and declares the effect of deleting one of these
  /// records.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isChecked: A Boolean value that indicates whether a save refuses to add references to
  ///     records that do not exist. With the rule `deny` a save always refuses them.
  ///   - inverse: The name of the inverse; see the reference to one record.
  ///   - rule: The effect on the record with the references if a record that it refers to is
  ///     deleted. The rule cannot be `cascade`.
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
  /// If only the owned record is deleted, the reference becomes nil. If the reference is required,
  /// that deletion is refused.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isRequired: A Boolean value that indicates whether the reference must have a value.
  ///   - isChecked: A Boolean value that indicates whether an optional reference is checked.
  ///   - inverse: The name of the inverse; see the reference without a rule.
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
