/** The style of pages at which a person is asked: light or dark like the browser, and suitable for a phone. */
export const STYLE = `:root { color-scheme: light dark; --page: light-dark(#fff, #14171c); --ink: light-dark(#1d242b, #e8eaee); --soft: light-dark(#4b5763, #a9b2be); --line: light-dark(#d5dbe1, #353b45); --accent: light-dark(#24527a, #8ab8ff); --on-accent: light-dark(#fff, #10202f); --edge: light-dark(#5b6b7b, #7d8996); --bad: light-dark(#8a1c12, #ff9d94); --alarm: light-dark(#fbeceb, #3b1d1b) }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 56rem; padding: 1rem 1.5rem 3rem; color: var(--ink); background: var(--page); overflow-wrap: anywhere }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem } a { color: var(--accent) }
#now { border: 2px solid var(--accent); border-radius: .4rem; padding: .25rem 1.25rem 1rem; margin: 1rem 0 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line) }
tr.now td { font-weight: 600 } tr.answered td, tr.stopped td { color: var(--soft) } tr.not-done td { color: var(--bad) }
small { color: var(--soft); display: block; font-weight: 400 }
button { font: inherit; padding: .35rem 1rem; border: 1px solid var(--accent); border-radius: .25rem; background: var(--accent); color: var(--on-accent); cursor: pointer }
button.quiet { background: var(--page); color: var(--accent) }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .35rem; border: 1px solid var(--edge); border-radius: .25rem; margin-bottom: .5rem; background: var(--page); color: var(--ink) }
input[aria-invalid=true] { border-color: var(--bad); outline: 1px solid var(--bad) }
summary { cursor: pointer } details { margin: .75rem 0 }
.qr { display: block; max-width: 100%; height: auto; margin: .5rem 0; border-radius: .25rem }
.doubt { border-left: .3rem solid var(--bad); background: var(--alarm); padding: .5rem 1rem }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
@media (max-width: 40rem) {
  body { padding: .5rem .75rem 2rem } #now { padding: .25rem .75rem .75rem } ol { padding-left: 1.25rem }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  table, tbody, tr, td { display: block } tr { border-bottom: 1px solid var(--line); padding: .4rem 0 } td { border: 0; padding: .1rem 0 }
  td::before { content: attr(data-column) ": "; color: var(--soft); font-weight: 400 }
}`
