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

  /** A page's own text cannot look like a numbered element, even if it's in parts. */
  const plain = (text: string) => text.replace(/\[(?=\d+ [a-z]|\d*$)/gu, "[ ")

  const quote = (text: string) => `"${plain(text).replaceAll('"', "'")}"`

  return { squash, kept, cut, plain, quote }
}

export type Words = ReturnType<typeof words>
