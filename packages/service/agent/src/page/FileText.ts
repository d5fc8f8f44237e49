/** Limits the size of a file that is read, in bytes. */
export const bytes_most = 5 * 1024 ** 2

/** The kinds of files that are no text, by their first bytes. */
const kinds: ReadonlyArray<readonly [start: string, kind: string]> = [
  ["PK\u0003\u0004", "a ZIP archive, as documents of Word and Excel are"],
  ["\u00d0\u00cf\u0011\u00e0", "an old document of Word or Excel"],
  ["\u0089PNG", "a PNG picture"],
  ["\u00ff\u00d8\u00ff", "a JPEG picture"],
  ["GIF8", "a GIF picture"],
  ["RIFF", "a picture, a sound or a video"],
  ["\u001f\u008b", "compressed with gzip"]
]

const kindOf = (bytes: Uint8Array): string | undefined => {
  const start = Buffer.from(bytes.subarray(0, 8)).toString("latin1")
  const kind = kinds.find(([beginning]) => start.startsWith(beginning))?.[1]
  return kind ?? (bytes.subarray(0, 8192).includes(0) ? "not a text" : undefined)
}

/** Returns whether a file is a PDF document. */
export const isPdf = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 1024)).toString("latin1").includes("%PDF-")

/** Files in UTF-16 begin with a mark. */
const encodingOf = ([first, second]: Uint8Array) =>
  first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"

/** Returns the text of a file, or a sentence that says what it is instead. */
export const of = (bytes: Uint8Array): { readonly text: string } | string => {
  const encoding = encodingOf(bytes)
  const kind = encoding === "utf-8" ? kindOf(bytes) : undefined
  if (kind !== undefined) {
    return `The file is ${kind}, which the agent can't read. Look for the same content on a page, or hand the file over.`
  }
  return { text: new TextDecoder(encoding).decode(bytes) }
}
