/**
 * Returns the forms in which a character may appear in a text from the network: as it is, or escaped as in JSON, a URL
 * or HTML, or several of these.
 */
const formsOf = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  const plain = character.replace(/[\\^$.*+?()[\]{}|/]/u, "\\$&")
  // as many backslashes as JSON in JSON in JSON has; without a bound a body of backslashes would take for ever
  return `(?:\\\\{0,8}${plain}|\\\\{1,8}u00${hexIn(hex)}|%${hexIn(hex)}|&#(?:0{0,4}${code}|[xX]0{0,4}${hexIn(hex)});?)`
}

const hexIn = (hex: string) =>
  Array.from(hex, (digit) => (/[a-f]/u.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join("")

const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }

/**
 * Takes a secret out of texts, however a service that echoes it has escaped it. A text that has the secret in no form is
 * given back as it is. With `isValue` the text is JSON that becomes a value of the program: the addresses in it stay, since
 * that of a browser may need the key, and so does a secret that is short enough to be a word.
 */
export type Redact = (text: string, isValue?: boolean) => string

/** Returns whether the JSON before a position starts the text there as an address. */
const isInAddress = (text: string, at: number) => {
  // addresses are short, and a body may be nothing but keys
  const before = text.slice(Math.max(0, at - 2000), at)
  return /^[a-z][a-z\d+.-]*:(?:\\?\/){2}\S*$/iu.test(before.slice(before.lastIndexOf('"') + 1))
}

const shortest = 12

/**
 * Makes a function that replaces a secret in texts by a mark.
 *
 * @param secret - The secret, which is also found in escaped and encoded forms.
 * @param mark - The replacement.
 * @returns The function.
 * @example
 * ```ts
 * import { make } from "@webagent/core/Redact"
 *
 * const redact = make("wak_0123456789abcdef")
 * console.log(redact("the key is wak_0123456789abcdef"))
 * ```
 */
export const make = (secret: string, mark = "<redacted>"): Redact => {
  const forms = Array.from(secret, (character) => {
    const name = named[character]
    return name === undefined ? formsOf(character) : `(?:&${name};|${formsOf(character)})`
  })
  const pattern = new RegExp(forms.join(""), "gu")
  // a look at each answer costs less than the pattern: letters and digits are escaped in these ways only
  const [longest = ""] = (secret.match(/[a-z\d]+/giu) ?? []).toSorted((a, b) => b.length - a.length)
  const mayHold = (text: string) =>
    text.includes(longest) || text.includes("\\u00") || text.includes("%") || text.includes("&#")
  return (text, isValue = false) => {
    if (!isValue) return text.replaceAll(pattern, mark)
    if (secret.length < shortest || !mayHold(text)) return text
    return text.replaceAll(pattern, (secretForm, at: number) => (isInAddress(text, at) ? secretForm : mark))
  }
}
