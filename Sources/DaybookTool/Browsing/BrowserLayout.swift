/// The division of a screen into panes.
///
/// From top to bottom: the title, the list, the transactions beside the record, the line of
/// messages, and the command. A small screen shows only the pane that has the focus.
struct BrowserLayout: Hashable, Sendable {
  /// A Boolean value that indicates whether only the pane that has the focus is shown.
  let isSmall: Bool
  /// The numbers of lines of the panes, without their titles.
  let listRowCount: Int
  let transactionRowCount: Int
  let recordRowCount: Int
  /// The width of the pane of transactions.
  let transactionColumnCount: Int

  init(_ size: ScreenSize, focus: BrowserModel.Pane, commandLineCount: Int) {
    isSmall = size.rowCount < 18 || size.columnCount < 60
    // The title, the line of messages and the command belong to no pane. Each pane has a title, and
    // the list also has the head of its table.
    let room = size.rowCount - 2 - commandLineCount
    if isSmall {
      listRowCount = max(1, room - 2)
      transactionRowCount = max(1, room - 1)
      recordRowCount = max(1, room - 1)
      transactionColumnCount = size.columnCount
    } else {
      let lower = min(12, (room - 3) * 2 / 5)
      transactionRowCount = lower
      recordRowCount = lower
      listRowCount = room - 3 - lower
      transactionColumnCount = size.columnCount / 2
    }
  }
}
