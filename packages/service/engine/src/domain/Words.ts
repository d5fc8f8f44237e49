/** Words to find in a task: all of them, the last one as the beginning of a word. */
export interface Words {
  readonly whole: ReadonlyArray<string>
  /** Beginning of a word, three letters or more; null if the last word is shorter and has to match whole. */
  readonly prefix: string | null
}

/** Letters of the shortest word that also finds longer ones. */
const shortestPrefix = 3

/** Returns the words of a text in lower case: runs of letters, their accents, and digits. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "")

/** Returns the words that a search asks for; null for a text without words, which finds nothing. */
export const searched = (text: string): Words | null => {
  const words = wordsOf(text)
  const last = words.at(-1)
  if (last === undefined) return null
  return [...last].length < shortestPrefix
    ? { whole: words, prefix: null }
    : { whole: words.slice(0, -1), prefix: last }
}

/** Returns whether a text has all these words. */
export const includes = (text: string, { prefix, whole }: Words): boolean => {
  const words = wordsOf(text)
  return (
    whole.every((word) => words.includes(word)) && (prefix === null || words.some((word) => word.startsWith(prefix)))
  )
}
