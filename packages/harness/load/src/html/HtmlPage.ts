import { escape } from "@webagent/cli/Xml"

const styles = `
:root { color-scheme: light dark; --ink: light-dark(#1c2128, #d7dde4); --faint: light-dark(#5d6773, #98a2ad); --paper: light-dark(#ffffff, #14181d);
  --card: light-dark(#f6f7f9, #1b2027); --rule: light-dark(#d9dee4, #323a44); --good: light-dark(#1a7037, #5fcf86); --bad: light-dark(#b3261e, #ff8a80);
  --line-0: light-dark(#0b62c4, #6db3ff); --line-1: light-dark(#b45a00, #ffb454); --line-2: light-dark(#8a2b9c, #d99bea) }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 88rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem }
p { margin: .25rem 0; max-width: 75ch } .faint { color: var(--faint) } .good { color: var(--good) } .bad { color: var(--bad) } b { font-weight: 650 }
.tables { display: grid; gap: 0 3rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--rule); white-space: nowrap } th:first-child, td:first-child { text-align: left; padding-left: 0 }
thead th { color: var(--faint); font-weight: 500; white-space: normal; vertical-align: bottom } tbody th { font-weight: 400 } .settings th, .settings td { text-align: left } .settings td { white-space: normal; overflow-wrap: anywhere }
.charts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)) }
figure { margin: 0; padding: .9rem 1rem .7rem; background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; min-width: 0 }
figcaption { font-weight: 600; margin-bottom: .4rem } figcaption .faint { font-weight: 400 } .chart { width: 100%; height: auto; display: block } .chart text { fill: var(--faint); font-size: 12px; font-variant-numeric: tabular-nums }
.grid { stroke: var(--rule) } .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; stroke: var(--line-0) }
.line-1 { stroke: var(--line-1); stroke-dasharray: 6 4 } .line-2 { stroke: var(--line-2); stroke-dasharray: 1.5 4 } .dot { fill: var(--line-0) } .dot-1 { fill: var(--line-1) } .dot-2 { fill: var(--line-2) }
.band { fill: var(--rule); opacity: .55 } .even { stroke: var(--faint) } .interval { stroke: var(--line-0); stroke-width: 3; stroke-linecap: round } .estimate { fill: var(--line-0) } .detectable { stroke: var(--faint); stroke-width: 2 }
.worse .interval { stroke: var(--bad) } .worse .estimate { fill: var(--bad) } .better .interval { stroke: var(--good) } .better .estimate { fill: var(--good) }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; margin: .4rem 0 0; padding: 0; font-size: .875rem } .key { width: 28px; height: 8px; vertical-align: middle }
a { color: var(--line-0) } footer { margin-top: 3rem; color: var(--faint); font-size: .875rem }
@media (max-width: 37.5rem) { body { padding: 1rem .75rem 3rem } thead { display: none } tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .35rem 0; border-bottom: 1px solid var(--rule) } th, th:first-child, td { border: 0; padding: 0; text-align: left; white-space: normal; overflow-wrap: anywhere } tbody th { flex-basis: 100%; font-weight: 600 } td::before { content: attr(data-head) " "; color: var(--faint) } .settings td::before { content: none } .settings tbody th { flex-basis: 9rem; font-weight: 400; color: var(--faint) } .chart text { font-size: 19px } }
@media print { figure { break-inside: avoid } }
`

/** A table whose first column names the row; the other cells are HTML. One that is too wide scrolls, by keys too. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  `<div class="scroll" tabindex="0" role="group" aria-label="${escape(heads.join(", "))}"><table><thead><tr>${heads.map((head) => `<th scope="col">${escape(head)}</th>`).join("")}</tr></thead><tbody>${rows
    .map(
      ([first = "", ...rest]) =>
        `<tr><th scope="row">${escape(first)}</th>${rest.map((cell, index) => `<td data-head="${escape(heads[index + 1] ?? "")}">${cell}</td>`).join("")}</tr>`
    )
    .join("")}</tbody></table></div>`

/** The parts of a page; all but the title are HTML. */
interface Page {
  readonly title: string
  readonly header: string
  readonly main: string
  readonly footer: string
}

/** A page in one file, without scripts or external resources. */
export const render = ({ footer, header, main, title }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title><style>${styles}</style></head><body>
<header>${header}</header>
<main>${main}</main>
<footer><p>${footer}</p></footer>
</body></html>
`
