import { basename } from "node:path"
import { parseSync, Visitor } from "rolldown/utils"
import type { Text } from "./Words.ts"

/** A name as text: `endOfRun` and `end_of_run` are "end of run". */
const spelled = (name: string) => name.replaceAll("_", " ").replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ")

/**
 * Returns the texts of a module for people: its literals, templates, comments and names. Import addresses aren't texts.
 */
export const sourceTexts = (file: string, source: string): ReadonlyArray<Text> => {
  const { comments, errors, program } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const texts: Array<Text> = []
  const lineOf = (offset: number) => source.slice(0, offset).split("\n").length
  const add = (start: number, text: string) => texts.push({ file, line: lineOf(start), text })
  const imported = new Set<number>()
  const names = new Map<string, number>([[basename(file, ".ts"), 0]])
  new Visitor({
    ImportDeclaration: ({ source }) => void imported.add(source.start),
    Literal: ({ start, value }) => {
      if (typeof value === "string" && !imported.has(start)) add(start, value)
    },
    TemplateElement: ({ start, value }) => void add(start, value.cooked ?? value.raw),
    Identifier: ({ name, start }) => void (names.has(name) || names.set(name, start))
  }).visit(program)
  for (const [name, start] of names) add(start, spelled(name))
  for (const { start, value } of comments) add(start, value)
  return texts.toSorted((one, other) => one.line - other.line)
}

/** Returns the sentences that a module may print: its literals and parts of templates with at least four words. */
export const messages = (file: string, source: string): ReadonlyArray<string> => {
  const { program } = parseSync(file, source)
  const texts: Array<string> = []
  const add = (text: string) => {
    if (/(?:[\p{L}'’-]+[ ,]+){3}[\p{L}'’-]+/u.test(text)) texts.push(text)
  }
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === "string") add(value)
    },
    TemplateElement: ({ value }) => add(value.cooked ?? value.raw)
  }).visit(program)
  return texts
}
