/// The style sheet of a report.
enum ReportStyle {
  static let source = [colors, page, list, panels, print].joined(separator: "\n")

  private static let colors = """
    :root {
      color-scheme: light dark;
      --paper: #f6f5f1; --card: #fffefb; --ink: #23262b; --dim: #5f646c; --line: #e4e1d8;
      --accent: #2f6690; --accent-soft: #e3edf4; --match: #fff6cc;
      --inserted: #28714a; --inserted-soft: #e4f2e8;
      --deleted: #a94438; --deleted-soft: #f8e7e3;
      --moved: #5b57a6; --moved-soft: #ebeaf6;
      --updated: #86590a; --updated-soft: #f9efd6;
      --shadow: 0 1px 2px rgb(40 35 20 / 5%), 0 4px 16px rgb(40 35 20 / 5%);
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #17191c; --card: #1f2226; --ink: #e4e4e0; --dim: #a0a5ac; --line: #32363c;
        --accent: #86b8dc; --accent-soft: #263845; --match: #3f3a20;
        --inserted: #7cc899; --inserted-soft: #1f3a2a;
        --deleted: #e5938a; --deleted-soft: #44272a;
        --moved: #b0abf0; --moved-soft: #302f4c;
        --updated: #dfb766; --updated-soft: #41361c;
        --shadow: 0 1px 2px rgb(0 0 0 / 30%);
      }
    }
    """

  private static let page = """
    * { box-sizing: border-box; scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
    [hidden] { display: none !important; }
    body {
      margin: 0; padding: 20px 28px; background: var(--paper); color: var(--ink);
      font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Inter, Roboto, "Noto Sans", sans-serif;
      font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased;
    }
    .live body {
      display: flex; flex-direction: column; gap: 12px; height: 100vh; padding: 16px 24px 20px;
    }
    h1 { font-size: 24px; font-weight: 650; letter-spacing: -0.015em; line-height: 1.2; margin: 0; }
    h2 { font-size: 15px; font-weight: 650; margin: 0; }
    h2 small { color: var(--dim); font-weight: 400; margin-left: 4px; }
    p { margin: 4px 0; }
    small { font-size: 12.5px; }
    .dim, .range, .time, .key { color: var(--dim); }
    .title { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 14px; }
    .option { color: var(--dim); overflow-wrap: anywhere; }
    .option b { color: var(--ink); font-weight: 550; }
    #summary { margin-top: 6px; max-width: 100ch; }
    .live #summary { display: flex; flex-wrap: wrap; gap: 0 10px; max-width: none;
      color: var(--dim); font-size: 13px; max-height: 60px; overflow: auto; margin-top: 2px; }
    .live #summary p { margin: 0; }
    .live #still { display: none; }
    button { font: inherit; color: inherit; cursor: pointer; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
    #scroller:focus-visible, #entries:focus-visible, .entry:focus-visible, .cell:focus-visible {
      outline-offset: -2px; border-radius: 10px; }
    .tag { display: inline-block; max-width: 24ch; overflow: hidden; text-overflow: ellipsis;
      white-space: nowrap; vertical-align: bottom; padding: 0 7px; border-radius: 9px;
      background: var(--accent-soft); color: var(--accent); font-size: 12px; font-weight: 550;
      line-height: 18px; }
    .now > .line .tag { background: var(--card); }

    #curves { margin: 12px 0; }
    .live #curves { margin: 0 8px; max-height: 24vh; overflow: hidden auto;
      flex: none; }
    .curve { display: grid; grid-template-columns: 130px 1fr 60px; align-items: center; gap: 12px;
      margin: 0 0 4px; }
    .curve figcaption { overflow: hidden; white-space: nowrap; line-height: 1.3; }
    .curve .name { color: var(--dim); font-size: 12.5px; display: block; overflow: hidden;
      text-overflow: ellipsis; }
    .curve .value { font-weight: 600; }
    .curve svg { width: 100%; height: 38px; display: block; overflow: visible; cursor: pointer; }
    .curve path, .life path { fill: none; stroke: var(--accent); stroke-width: 1.5;
      vector-effect: non-scaling-stroke; }
    .cursor { stroke: var(--ink); stroke-width: 1; vector-effect: non-scaling-stroke;
      opacity: 0; }
    .live .cursor { opacity: 0.45; }
    .curve .range { font-size: 11px; line-height: 1.35; }

    #player { display: grid; grid-template-columns: auto 1fr auto 200px auto; gap: 8px 16px;
      align-items: center; flex: none; }
    .buttons { display: flex; gap: 6px; }
    .buttons button { width: 34px; height: 34px; border-radius: 50%; border: 1px solid var(--line);
      background: var(--card); display: grid; place-items: center; padding: 0; }
    .buttons button:hover { border-color: var(--accent); color: var(--accent); }
    .buttons button:disabled { opacity: 0.35; cursor: default; }
    .buttons svg { width: 14px; height: 14px; fill: currentColor; }
    #play { background: var(--accent); border-color: var(--accent); color: var(--card); }
    #play:hover { color: var(--card); filter: brightness(1.08); }
    .stop, .playing .start { display: none; }
    .playing .stop { display: inline; }
    .now { min-width: 0; }
    #moment { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
    #moment b { font-weight: 650; }
    #author { font-weight: 550; margin-left: 8px; }
    #reason { margin-left: 6px; font-style: italic; color: var(--dim); }
    #note { font-size: 12px; color: var(--dim); line-height: 1.2; }
    #keys { font-size: 16px; padding: 0 4px; color: var(--dim); }
    .speed { color: var(--dim); font-size: 13px; }
    select, #search { font: inherit; font-size: 13px; color: var(--ink); background: var(--card);
      border: 1px solid color-mix(in srgb, var(--dim) 70%, var(--card)); border-radius: 7px;
      padding: 4px 8px; height: 30px; }
    #search { width: 100%; }
    #search::placeholder { color: var(--dim); opacity: 1; }
    #rail { grid-column: 1 / -1; margin: 0 72px 0 142px; }
    #slider { display: block; width: 100%; margin: 0; accent-color: var(--accent); height: 18px; }
    #marks { position: relative; height: 24px; }
    .mark { position: absolute; top: 0; height: 24px; padding: 6px 0 0; border: 0; background: none;
      color: var(--dim); font-size: 11.5px; line-height: 18px; white-space: nowrap; }
    .mark > span { display: block; overflow: hidden; text-overflow: ellipsis; text-align: center; }
    .mark > i { position: absolute; top: 0; width: 3px; height: 7px; margin-left: -1.5px;
      border-radius: 2px; background: var(--dim); }
    .mark.short > span { display: none; }
    .mark:hover, .mark.now { color: var(--accent); }
    .mark:hover > i, .mark.now > i { background: var(--accent); }
    """

  private static let list = """
    #stage { flex: 1; min-height: 0; display: grid; gap: 16px;
      grid-template-columns: minmax(0, 1fr) minmax(300px, 400px); position: relative; }
    #list { display: flex; flex-direction: column; min-height: 0; background: var(--card);
      border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow);
      overflow: hidden; }
    #scroller { flex: 1; min-height: 0; overflow: auto; contain: strict; }
    #head { position: sticky; top: 0; z-index: 3; height: 36px; background: var(--card);
      border-bottom: 1px solid var(--line); color: var(--dim); }
    #head bdi { font-size: 12.5px; }
    #head .cell { cursor: default; }
    #head, .row { display: grid; grid-template-columns: var(--columns); padding: 0 10px;
      align-items: center; min-width: var(--width); }
    #body { position: relative; min-width: var(--width); contain: layout style; }
    #body:empty::after { content: "The list is empty."; display: block; padding: 24px;
      color: var(--dim); text-align: center; }
    .row, .section { position: absolute; left: 0; right: 0; top: 0; }
    #body:not(.still) > * { transition: transform 280ms cubic-bezier(.2, .7, .2, 1),
      opacity 260ms, background-color 400ms; }
    .row { height: 32px; background: var(--card); border-bottom: 1px solid var(--line);
      border-left: 3px solid transparent; padding-left: 7px; }
    .row.moved { z-index: 2; }
    .cell { padding: 0 8px; white-space: nowrap; unicode-bidi: isolate; overflow: hidden; text-overflow: ellipsis;
      line-height: 24px; border-radius: 5px; cursor: pointer; }
    .row .cell:hover { background: var(--accent-soft); }
    .cell.number { text-align: right; }
    .row .cell:first-child { color: var(--dim); }
    .cell:first-child { position: sticky; left: 0; z-index: 1; background: inherit;
      border-radius: 0; }
    .nil { color: var(--dim); font-style: italic; }
    .row.inserted { background: var(--inserted-soft); border-left-color: var(--inserted); }
    .row.moved { background: var(--moved-soft); border-left-color: var(--moved); }
    .row.updated { border-left-color: var(--updated); }
    .row .cell.changed { background: var(--updated-soft); color: var(--updated); font-weight: 600; }
    .row.match { background: var(--match); }
    .row.chosen { box-shadow: inset 0 0 0 1.5px var(--accent); z-index: 2; }
    .row .cell.asked { box-shadow: inset 0 0 0 1.5px var(--accent); background: var(--accent-soft); }
    .row.entering { animation: enter 300ms; }
    .row.leaving { opacity: 0; background: var(--deleted-soft);
      border-left-color: var(--deleted); z-index: 0; }
    .section.leaving { opacity: 0; }
    @keyframes enter { from { opacity: 0; } }
    .section { height: 44px; padding: 18px 18px 0; background: var(--card);
      border-bottom: 1px solid var(--line); display: flex; gap: 8px; align-items: baseline;
      white-space: nowrap; }
    .section .name { font-weight: 650; position: sticky; left: 18px; }
    .section .count, .section .totals { color: var(--dim); font-size: 12.5px; }
    .section .totals { margin-left: auto; white-space: pre; position: sticky; right: 18px; }
    #foot { border-top: 1px solid var(--line); padding: 7px 18px; color: var(--dim);
      font-size: 13px; white-space: pre-wrap; }
    """

  private static let panels = """
    aside { display: flex; flex-direction: column; gap: 12px; min-height: 0; overflow: auto;
      margin: -4px; padding: 4px; }
    .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
      box-shadow: var(--shadow); padding: 12px 16px; position: relative; overflow: auto; }
    #found, #why, #changes { flex: none; }
    #found { max-height: 40%; }
    #changes { max-height: 46%; }
    #log { flex: 1 0 200px; min-height: 200px; display: flex; flex-direction: column;
      padding: 12px 0 0; overflow: hidden; }
    #log h2 { padding: 0 16px 8px; border-bottom: 1px solid var(--line); }
    #entries { flex: 1; min-height: 0; overflow: auto; contain: strict; }
    #track { position: relative; }
    .entry { position: absolute; left: 0; right: 0; top: 0; height: 48px; padding: 4px 16px;
      border: 0; border-left: 3px solid transparent; border-bottom: 1px solid var(--line);
      background: none; text-align: left; display: grid; grid-template-columns: auto 1fr auto;
      gap: 0 10px; align-content: center; align-items: baseline; line-height: 1.35; width: 100%; }
    .entry:hover { background: var(--accent-soft); }
    .entry.now { background: var(--accent-soft); border-left-color: var(--accent); }
    .entry .tx { font-weight: 650; min-width: 3ch; }
    .entry .time, .entry .line { font-size: 12.5px; }
    .entry .line { grid-column: 2 / -1; white-space: nowrap; overflow: hidden;
      text-overflow: ellipsis; }
    .counts { display: flex; gap: 8px; font-size: 12.5px; }
    .counts .inserted, li.inserted > i { color: var(--inserted); }
    .counts .deleted, li.deleted > i { color: var(--deleted); }
    .counts .moved, li.moved > i { color: var(--moved); }
    .counts .updated, li.updated > i { color: var(--updated); }
    .meta { margin-right: 8px; }
    .meta.author { font-weight: 550; }
    .meta.reason { font-style: italic; color: var(--dim); }
    .meta.other { color: var(--dim); }
    bdi { unicode-bidi: isolate; overflow-wrap: anywhere; }
    .lines, .events, .results { list-style: none; margin: 6px 0 0; padding: 0; }
    .lines li, .events li, .results li { padding: 3px 0 3px 20px; position: relative;
      border-top: 1px solid var(--line); }
    .lines li > i { position: absolute; left: 2px; font-style: normal; font-weight: 650; }
    .pair { margin-left: 10px; }
    del { text-decoration: none; color: var(--deleted); }
    ins { text-decoration: none; color: var(--inserted); }
    .link { border: 0; background: none; padding: 0; color: var(--accent); font-weight: 550;
      text-align: left; }
    .link:hover { text-decoration: underline; }
    .close { position: absolute; top: 8px; right: 12px; font-size: 18px; line-height: 1;
      padding: 4px; color: var(--dim); }
    .answer { display: grid; grid-template-columns: auto 1fr; margin: 8px -8px; }
    .answer dt, .answer dd { margin: 0; padding: 3px 8px; min-width: 0; }
    .answer dt { color: var(--dim); cursor: pointer; border-radius: 5px 0 0 5px; }
    .answer dd .link { font-weight: 400; font-size: 12.5px; margin-left: 6px; }
    .answer .asked { background: var(--accent-soft); }
    .answer dd.asked { border-radius: 0 5px 5px 0; }
    .answer dd.asked > .value { font-weight: 650; }
    .cause { font-size: 13px; margin-top: 2px; }
    .answer .cause .link { margin: 0; font: inherit; font-weight: 550; }
    .cause .dim .value { font-weight: 400; }
    .life { margin: 8px 0; }
    .life figcaption { display: flex; justify-content: space-between; font-size: 12.5px;
      color: var(--dim); }
    .life svg { width: 100%; height: 56px; display: block; cursor: pointer; overflow: visible; }
    .events li { padding-left: 0; font-size: 13px; }
    .events li > i { font-style: normal; font-weight: 650; margin: 0 6px; }
    .events li.now { background: var(--accent-soft); border-radius: 5px; }
    .events .link { min-width: 3ch; }
    .events .pair { margin-left: 2px; margin-right: 6px; }
    .results li { padding-left: 0; }
    #help { position: fixed; right: 24px; bottom: 20px; z-index: 5; max-width: calc(100vw - 24px); }
    #help dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 8px 0 0; }
    #help dd { margin: 0; color: var(--dim); }
    @media (max-width: 900px) {
      .live body { height: auto; padding: 12px; }
      #stage { grid-template-columns: 1fr; }
      #scroller { height: 60vh; flex: none; }
      #entries { height: 300px; flex: none; }
      #why, #changes, #found { max-height: 50vh; }
      #player { grid-template-columns: auto 1fr auto; }
      .now { grid-column: 2 / -1; }
      #moment { white-space: normal; }
      .live #summary { max-height: none; }
      #rail { margin: 0; }
      #help { right: 12px; bottom: 12px; }
      .live #curves { margin: 0; }
      .curve { grid-template-columns: 80px 1fr 64px; }
    }
    @media (prefers-reduced-motion: reduce) {
      #body > * { transition: none !important; animation: none !important; }
    }
    """

  private static let print = """
    #still { max-width: 100%; overflow-x: auto; }
    #still h2 { margin: 24px 0 8px; font-size: 17px; }
    #still table { border-collapse: collapse; background: var(--card); }
    #still td, #still th { text-align: left; padding: 4px 14px; vertical-align: top;
      border-bottom: 1px solid var(--line); overflow-wrap: anywhere; unicode-bidi: isolate; }
    #still th { color: var(--dim); font-weight: 500; }
    #still .group th { color: var(--ink); font-weight: 650; padding-top: 14px; }
    #still .group small { color: var(--dim); font-weight: 400; margin-left: 6px; }
    #still td.number { text-align: right; }
    @media print {
      :root, .live { --paper: #fff; --card: #fff; --ink: #000; --dim: #555; --line: #ccc; }
      .live body { display: block; height: auto; padding: 0; }
      #player, #stage, .live .cursor { display: none !important; }
      .live #still { display: block; }
      .live #summary { display: block; max-height: none; color: inherit; }
      .curve .value { display: none; }
      #still tr { break-inside: avoid; }
      #still h2 { break-after: avoid; }
    }
    """
}
