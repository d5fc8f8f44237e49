import { escape } from "@webagent/cli/Xml"

/** Fragments one after the other; what is undefined is left out. */
export const join = (...fragments: ReadonlyArray<string | undefined>): string =>
  fragments.filter((fragment) => fragment !== undefined).join("")

/** A table that a narrow screen scrolls by itself; cells are HTML already. */
export const table = (options: {
  readonly caption: string
  readonly heads: ReadonlyArray<string>
  /** The first cell of a row is its heading. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** By column: `n` for what is aligned as numbers are. */
  readonly align?: string
}): string => {
  const { align = "", caption, heads, rows } = options
  const of = (column: number) => (align[column] === "n" ? ' class="n"' : "")
  const head = heads.map((text, column) => `<th scope="col"${of(column)}>${escape(text)}</th>`).join("")
  const body = rows
    .map(
      ([first = "", ...rest]) =>
        `<tr><th scope="row">${first}</th>${rest.map((cell, column) => `<td${of(column + 1)} data-head="${escape(heads[column + 1] ?? "")}">${cell}</td>`).join("")}</tr>`
    )
    .join("")
  // what scrolls has to be reachable without a mouse
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escape(caption)}"><table class="stacks"><caption>${escape(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

/** Folded away below a line that says what it is. */
export const folded = (summary: string, html: string): string =>
  `<details class="fold"><summary>${escape(summary)}</summary>${html}</details>`

/** A command to copy, with its button, which does nothing without a script and is then not shown. */
export const command = (text: string, label: string): string =>
  `<span class="command"><code>${escape(text)}</code><button type="button" class="js" data-copy="${escape(text)}">${escape(label)}</button></span>`

/** A button that copies a command, drawn as an icon; what it copies is its name. */
export const copyIcon = (text: string, of: string): string =>
  `<button type="button" class="js icon" data-copy="${escape(text)}" title="${escape(text)}"><svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><use href="#i-copy"/></svg><span class="sr">Copy the replay command of ${escape(of)}</span></button>`
