/// What several changes of one record come to, between two moments.
///
/// | before | after | values | net change |
/// | ------ | ----- | ------ | ---------- |
/// | absent | absent | – | none |
/// | absent | present | – | insert |
/// | present | absent | – | delete |
/// | present | present | differ | update |
/// | present | present | equal | none |
///
/// What happened in between does not matter: changed and deleted is a delete, inserted and deleted is
/// nothing, deleted and inserted again is an update, written with an equal value is nothing.
package enum NetChange: Hashable, Sendable {
  case none
  case insert
  case delete
  case update(AttributeSet)

  /// The net change between two rows of one layout, each nil if there is no record then.
  package init(from old: [UInt8]?, to new: [UInt8]?, _ layout: Layout) {
    switch (old, new) {
    case (nil, nil): self = .none
    case (nil, _?): self = .insert
    case (_?, nil): self = .delete
    case (let old?, let new?): self.init(from: old.span.bytes, to: new.span.bytes, layout)
    }
  }

  /// The net change between two rows of one layout.
  package init(from old: RawSpan, to new: RawSpan, _ layout: Layout) {
    let changed = layout.changedAttributes(from: old, to: new)
    self = changed.isEmpty ? .none : .update(changed)
  }
}
