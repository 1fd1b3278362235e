/// The keys of a browser, as the page of keys prints them.
enum BrowserKeys {
  static let help = """
    left, right    one transaction back, forward
    up, down       select a row, a transaction or an attribute
    page keys      move by a page; Home and End to the ends
    Tab            next pane: list, transactions, record
    Enter          in the transactions: show the list at the selected one
    g              go to a transaction, a time or a tag

    /              filter the list while you type, as with --where
    s  S           sort, divide into sections
    e              choose an entity
    c              the whole command, if it does not fit into the last lines
    F              counts by the value of a column

    m              mark the selected transaction
    d              difference from the mark, or of the shown transaction
    x              the list without the selected transaction, or with it again
                   ! is a row with later values, which were kept
    w              why: the history of the row, or of the selected attribute
    b              find the transaction since which rows match a filter
    f              follow the journal while another process writes it

    Esc            cancel work, close a page, end the filter
    ?  q           these keys, quit; Ctrl-Z stops the browser

    In the list: + inserted, ~ updated, > moved by the transaction.
    The last line is the command that prints what is shown.
    """
}
