/** How a character may stand in a text from the network: as it is, or escaped as by JSON, a URL, HTML, or several. */
const formsOf = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  const plain = character.replace(/[\\^$.*+?()[\]{}|/-]/u, "\\$&")
  // as many backslashes as JSON in JSON in JSON has; without a bound a body of backslashes would take for ever
  return `(?:\\\\{0,8}${plain}|\\\\{1,8}u00${hexIn(hex)}|%${hexIn(hex)}|&#(?:0{0,4}${code}|[xX]0{0,4}${hexIn(hex)});?)`
}

const hexIn = (hex: string) =>
  Array.from(hex, (digit) => (/[a-f]/u.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join("")

const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }

/**
 * Takes a secret out of texts, however a service that echoes it has escaped it. A text that has the secret in no form is
 * given back as it is.
 */
export const make = (secret: string): ((text: string) => string) => {
  const forms = Array.from(secret, (character) => {
    const name = named[character]
    return name === undefined ? formsOf(character) : `(?:&${name};|${formsOf(character)})`
  })
  const pattern = new RegExp(forms.join(""), "gu")
  return (text) => text.replaceAll(pattern, "<redacted>")
}
