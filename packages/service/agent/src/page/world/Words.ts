/** Text as the model reads it. Runs in the page: nothing outside of the function is there. */
export const words = () => {
  /** Also without what is not seen: control characters, invisible marks, and tags, which can carry a hidden message. */
  const squash = (text: string) =>
    // most text needs nothing of it
    /[^!-~ ]| {2}|^ | $/u.test(text)
      ? text
          .replace(/[\u{e0000}-\u{e007f}\u200b\u2060-\u2064\u202a-\u202e\ufeff\u00ad]+/gu, "")
          .replace(/[\s\p{Cc}]+/gu, " ")
          .trim()
      : text

  /** Leaves out the same, but keeps line breaks and indentation. */
  const kept = (text: string) =>
    text
      .replace(/[\u{e0000}-\u{e007f}\u200b\u2060-\u2064\u202a-\u202e\ufeff\u00ad]+/gu, "")
      .replace(/\r\n?/gu, "\n")
      .replace(/[^\P{Cc}\n\t]+/gu, " ")

  /** Services refuse a request with half of a surrogate pair in it. */
  const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text)

  /** Shortens a text of any length so that two different ones stay different: a digest follows its beginning. */
  const digest = (text: string): string => {
    if (text.length <= 200) return text
    let [one, two] = [0xdeadbeef, 0x41c6ce57]
    for (let at = 0; at < text.length; at++) {
      one = Math.imul(one ^ text.charCodeAt(at), 2654435761)
      two = Math.imul(two ^ text.charCodeAt(at), 1597334677)
    }
    return `${cut(text, 160)} ${text.length} ${(one >>> 0).toString(16)}${(two >>> 0).toString(16)}`
  }

  /** A page's own text cannot look like a numbered element, even if it's in parts. */
  const plain = (text: string) => text.replace(/\[(?=\d+ [a-z]|\d*$)/gu, "[ ")

  const quote = (text: string) => `"${plain(text).replaceAll('"', "'")}"`

  return { squash, kept, cut, digest, plain, quote }
}

export type Words = ReturnType<typeof words>
