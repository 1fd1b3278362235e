/// The parts of the page that are the same in every report. The script shows and fills them.
enum ReportMarkup {
  /// The player: buttons, the slider, and the transaction that is shown.
  static let player = """
    <section id="player" aria-label="Player" hidden>
    <div class="buttons">
    <button id="back" aria-label="Previous transaction" title="Previous transaction (←)">\
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 3L5 8l6 5z"/></svg></button>
    <button id="play" aria-label="Play" title="Play or pause (space)">\
    <svg viewBox="0 0 16 16" aria-hidden="true"><path class="start" d="M4 2.5l9 5.5-9 5.5z"/>\
    <path class="stop" d="M4 3h3v10H4zM9 3h3v10H9z"/></svg></button>
    <button id="next" aria-label="Next transaction" title="Next transaction (→)">\
    <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 3l6 5-6 5z"/></svg></button>
    </div>
    <div class="now">
    <div id="moment" role="status" aria-live="polite"><b id="tx"></b> <span id="time"></span> \
    <span id="tags"></span> <span id="author"></span> <span id="reason"></span></div>
    <div id="note"></div>
    </div>
    <label class="speed">speed <select id="speed" aria-label="Speed">
    <option value="0.5">½×</option><option value="1" selected>1×</option>\
    <option value="2">2×</option><option value="4">4×</option><option value="16">16×</option>
    </select></label>
    <input id="search" type="search" placeholder="Search ( / )" aria-label="Search" \
    autocomplete="off" spellcheck="false">
    <button id="keys" class="link" aria-label="Keys" title="Keys ( ? )">?</button>
    <div id="rail">
    <input id="slider" type="range" min="0" step="1" aria-label="Transaction">
    <div id="marks" role="group" aria-label="Tags" hidden></div>
    </div>
    </section>
    """

  /// The list, and beside it the panels.
  static let stage = """
    <main id="stage" hidden>
    <section id="list" aria-label="The list">
    <div id="scroller" tabindex="0" role="table" aria-label="Rows">
    <div id="head" role="row"></div>
    <div id="body" role="rowgroup"></div>
    </div>
    <div id="foot"></div>
    </section>
    <aside>
    <section id="found" class="card" aria-label="Search results" hidden></section>
    <section id="why" class="card" aria-label="Why" hidden></section>
    <section id="changes" class="card" aria-label="What the transaction changed"></section>
    <section id="log" class="card" aria-label="All transactions">
    <h2>Transactions</h2>
    <div id="entries" tabindex="-1"><div id="track"></div></div>
    </section>
    </aside>
    <div id="help" class="card" role="dialog" aria-label="Keys" hidden>
    <h2>Keys</h2>
    <dl>
    <dt>← →</dt><dd>previous and next transaction</dd>
    <dt>Page Up, Page Down</dt><dd>ten transactions</dd>
    <dt>Home, End</dt><dd>the first and the last picture</dd>
    <dt>Space</dt><dd>play or pause</dd>
    <dt>↑ ↓</dt><dd>select a row</dd>
    <dt>Shift ← →</dt><dd>in a selected row: the cell before and the next cell</dd>
    <dt>/</dt><dd>search</dd>
    <dt>Esc</dt><dd>close</dd>
    </dl>
    </div>
    </main>
    """
}
