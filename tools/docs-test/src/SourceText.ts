import { parseSync, Visitor } from "rolldown/utils"
import type { Text } from "./Words.ts"

/** What a module says to people: its literals, templates and comments. Names, types and imports are not text. */
export const sourceTexts = (file: string, source: string): ReadonlyArray<Text> => {
  const { comments, errors, program } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const found: Array<Text> = []
  const lineOf = (offset: number) => source.slice(0, offset).split("\n").length
  const add = (start: number, text: string) => found.push({ file, line: lineOf(start), text })
  const imported = new Set<number>()
  new Visitor({
    ImportDeclaration: ({ source }) => void imported.add(source.start),
    Literal: ({ start, value }) => {
      if (typeof value === "string" && !imported.has(start)) add(start, value)
    },
    TemplateElement: ({ start, value }) => void add(start, value.cooked ?? value.raw)
  }).visit(program)
  for (const { start, value } of comments) add(start, value)
  return found.toSorted((one, other) => one.line - other.line)
}
