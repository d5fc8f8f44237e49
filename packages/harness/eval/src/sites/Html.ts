/** Text that is HTML already. */
interface Html {
  readonly html: string
}

type Part = string | number | Html | undefined | ReadonlyArray<Html>

const isList = (part: Part): part is ReadonlyArray<Html> => Array.isArray(part)

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

const textOf = (part: Part): string => {
  if (part === undefined) return ""
  if (isList(part)) return part.map(({ html }) => html).join("")
  return typeof part === "object" ? part.html : escaped(String(part))
}

/** HTML with values in it. Text is escaped, and HTML from another template is not. */
export const markup = (template: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  html: template.map((text, at) => text + textOf(parts[at])).join("")
})

const style = `body{font:15px/1.5 sans-serif;margin:1.5em;max-width:60em}table{border-collapse:collapse}
td,th{border:1px solid #bbb;padding:.2em .6em;text-align:left}label{display:block;margin:.4em 0}nav a{margin-right:1em}
fieldset{margin:1em 0}.error{color:#b00}`

/** A page. Its links and forms are relative to the first page of the episode. */
export const page = (title: string, body: Html): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style></head><body><h1>${escaped(title)}</h1>${body.html}</body></html>`

/** The options of a select. */
export const options = (values: ReadonlyArray<string>, selected?: string): ReadonlyArray<Html> =>
  values.map((value) =>
    value === selected ? markup`<option selected>${value}</option>` : markup`<option>${value}</option>`
  )
