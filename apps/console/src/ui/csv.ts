/**
 * Characters with which a spreadsheet begins a formula, also in full width, and those that it passes over before one. Cells
 * hold texts of strangers.
 */
const formula = /^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20|%]|^[\t\r\n]/u

/** Characters that end a field for some spreadsheet: many countries separate with semicolons or tabs. */
const special = /[",;\t\n\r]/u

/** A field of a CSV file. A text that a spreadsheet would calculate gets an apostrophe in front; a number stays one. */
const field = (text: string): string => {
  const isNumber = /^[+-]?\d+(?:\.\d+)?$/u.test(text)
  const safe = formula.test(text) && !isNumber ? `'${text}` : text
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lines of texts as CSV (RFC 4180). */
export const csv = (lines: ReadonlyArray<ReadonlyArray<string>>): string =>
  lines.map((line) => line.map(field).join(",")).join("\r\n")
