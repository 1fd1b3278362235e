import DaybookStore

// A property beside a value of its type. Each operator stands here for a property of the record
// itself, and below for a path.

/// True where a property has a value.
public func == <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.equal, value.attributeValue) }

/// True where a property does not have a value.
public func != <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.notEqual, value.attributeValue) }

/// True where a property is below a value.
public func < <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.less, value.attributeValue) }

/// True where a property is at most a value.
public func <= <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.lessOrEqual, value.attributeValue) }

/// True where a property is above a value.
public func > <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.greater, value.attributeValue) }

/// True where a property is at least a value.
public func >= <R: Record, Value: AttributeRepresentable>(
  keyPath: KeyPath<R, Value>, value: Value
) -> Filter { Filter.at(keyPath).compared(.greaterOrEqual, value.attributeValue) }

extension FilterPath where Value: AttributeRepresentable {
  /// True where a path leads to a value; to none, for nil.
  public static func == (path: FilterPath, value: Value?) -> Filter {
    path.compared(.equal, value.attributeValue)
  }

  /// True where a path does not lead to a value; to some value, for nil.
  public static func != (path: FilterPath, value: Value?) -> Filter {
    path.compared(.notEqual, value.attributeValue)
  }

  /// True where a path leads to less than a value.
  public static func < (path: FilterPath, value: Value) -> Filter {
    path.compared(.less, value.attributeValue)
  }

  /// True where a path leads to a value at most.
  public static func <= (path: FilterPath, value: Value) -> Filter {
    path.compared(.lessOrEqual, value.attributeValue)
  }

  /// True where a path leads to more than a value.
  public static func > (path: FilterPath, value: Value) -> Filter {
    path.compared(.greater, value.attributeValue)
  }

  /// True where a path leads to a value at least.
  public static func >= (path: FilterPath, value: Value) -> Filter {
    path.compared(.greaterOrEqual, value.attributeValue)
  }

  /// True where a path leads to one of some values. Of texts, the options say what is not looked
  /// at.
  public func isOne(of values: [Value], options: TextOptions = []) -> Filter {
    compared(.isIn, .array(values.map(\.attributeValue)), options)
  }

  /// True where a path leads to a value from the one through the other.
  public func isBetween(_ least: Value, and most: Value) -> Filter {
    compared(.between, .array([least.attributeValue, most.attributeValue]))
  }
}

extension FilterPath {
  // Two paths.

  /// True where both paths lead to the same value, or both to none.
  public func isEqual<Other>(to other: FilterPath<Other>) -> Filter {
    compared(.equal, other.operand)
  }

  /// True where this path leads to less than the other does.
  public func isLess<Other>(than other: FilterPath<Other>) -> Filter {
    compared(.less, other.operand)
  }

  /// True where this path leads to more than the other does.
  public func isGreater<Other>(than other: FilterPath<Other>) -> Filter {
    compared(.greater, other.operand)
  }

  // Texts.

  /// True for a text, but for what the options do not look at.
  public func isEqual(to text: String, options: TextOptions) -> Filter {
    compared(.equal, .string(text), options)
  }

  /// True for texts that begin with a text.
  public func begins(with text: String, options: TextOptions = []) -> Filter {
    compared(.beginsWith, .string(text), options)
  }

  /// True for texts that end with a text.
  public func ends(with text: String, options: TextOptions = []) -> Filter {
    compared(.endsWith, .string(text), options)
  }

  /// True for texts that contain a text.
  public func contains(_ text: String, options: TextOptions = []) -> Filter {
    compared(.contains, .string(text), options)
  }

  /// True for texts that match a pattern in which `?` is any scalar and `*` any run of them.
  public func isLike(_ pattern: String, options: TextOptions = []) -> Filter {
    compared(.like, .string(pattern), options)
  }

  /// True for texts that match a regular expression as a whole.
  public func matches(_ pattern: String, options: TextOptions = []) -> Filter {
    compared(.matches, .string(pattern), options)
  }
}
