/** A doc comment by its tags. */
export interface DocComment {
  readonly text: string
  readonly params: ReadonlyArray<{ readonly name: string; readonly text: string }>
  readonly returns: string | undefined
  readonly errors: ReadonlyArray<string>
  readonly examples: ReadonlyArray<string>
}

const oneLine = (text: string) => text.replaceAll(/\s+/gu, " ").trim()

/** Reads a doc comment without its opening, closing and leading asterisks. */
export const parseDoc = (comment: string): DocComment => {
  const [text = "", ...tags] = comment.split(/^@(?=[a-z])/mu)
  const valuesOf = (tag: string) =>
    tags.filter((each) => new RegExp(`^${tag}\\s`, "u").test(each)).map((each) => each.slice(tag.length).trim())
  const [returns] = valuesOf("returns")
  return {
    text: text.trim(),
    params: valuesOf("param").map((each) => {
      const [, name = "", rest = ""] = /^(\S+)\s*(?:-\s*)?([\s\S]*)$/u.exec(each) ?? []
      return { name, text: oneLine(rest) }
    }),
    returns: returns === undefined ? undefined : oneLine(returns),
    errors: valuesOf("throws").map(oneLine),
    examples: valuesOf("example")
  }
}
