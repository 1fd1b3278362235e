/// How the texts of a sort key are compared.
///
/// ```swift
/// .ascending(\Bank.name, .caseInsensitive)
/// ```
///
/// Texts are the same in every spelling that Unicode calls canonically equivalent, and no comparator
/// asks for the language of a process. Texts that a comparator does not tell apart are a tie, which
/// the next sort key decides, or else the order of creation.
///
/// | comparator                    | in order                          | a tie                    |
/// | ----------------------------- | --------------------------------- | ------------------------ |
/// | `plain`                       | `Z` `a` `a10` `a9` `É` `é`        |                          |
/// | `caseInsensitive`             | `a` `a10` `a9` `Z` `é`            | `é` `É`, `ss` `ß`        |
/// | `caseAndDiacriticInsensitive` | `a` `a10` `a9` `é` `Z`            | `e` `E` `é` `É`          |
/// | `natural`                     | `Z` `a` `a9` `a10` `É` `é`        | `a9` `a09`               |
public enum TextComparator: Hashable, Sendable, CaseIterable {
  /// By the bytes of UTF-8 in normal form C, which is the order of their scalars.
  case plain
  /// As `plain`, of texts without the difference between upper and lower case: by full case folding,
  /// so that `ß` is `ss`.
  case caseInsensitive
  /// As `caseInsensitive`, without accents: nonspacing marks do not count.
  case caseAndDiacriticInsensitive
  /// As `plain`, but where two texts have ASCII digits, the numbers that they write are compared, and
  /// zeros before those do not count.
  case natural
}
