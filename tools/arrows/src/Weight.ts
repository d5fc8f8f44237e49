import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "rolldown/utils"

/** The size of the sources: every `.ts` and `.mjs` file but tests and `tools/bench`. */
export interface Weight {
  readonly lines: number
  /** Functions over 150 lines, as `file:line: lines`. */
  readonly longFunctions: ReadonlyArray<string>
}

/** The size of the sources today. Raised last for keys of fields whose outer page leaves. Lower a number whenever it falls. */
export const most = { lines: 149_111, longFunctions: 0 }

const longest = 150

const linesOf = (text: string): number => text.split("\n").length - 1

/** Returns the functions of a module that have over 150 lines. */
export const longFunctionsOf = (file: string, text: string): ReadonlyArray<string> => {
  const { program } = parseSync(file, text)
  const long: Array<string> = []
  const measure = ({ end, start }: { readonly start: number; readonly end: number }) => {
    const lines = linesOf(text.slice(start, end)) + 1
    if (lines > longest) long.push(`${file}:${linesOf(text.slice(0, start)) + 1}: ${lines} lines`)
  }
  new Visitor({
    ArrowFunctionExpression: measure,
    FunctionDeclaration: measure,
    FunctionExpression: measure
  }).visit(program)
  return long
}

const isOutside = (path: string): boolean =>
  /(?:^|\/)(?:node_modules|dist|test|\.webagent|\.turbo)(?:\/|$)|^tools\/bench$|\.test\.mjs$/u.test(path)

/** Measures the sources below `root`. */
export const weightOf = (root: string): Weight => {
  const files = globSync("{*,{apps,deploy,packages,tools}/**/*}.{ts,mjs}", { cwd: root, exclude: isOutside })
  const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
  return {
    lines: texts.reduce((sum, { text }) => sum + linesOf(text), 0),
    longFunctions: texts.flatMap(({ file, text }) => longFunctionsOf(file, text)).toSorted()
  }
}

/** Returns a line for each number that has grown. */
export const grown = ({ lines, longFunctions }: Weight, limits = most): ReadonlyArray<string> => [
  ...(lines > limits.lines
    ? [
        `There are ${lines} source lines, ${lines - limits.lines} more than tools/arrows/src/Weight.ts allows. Simplify.`
      ]
    : []),
  ...(longFunctions.length > limits.longFunctions
    ? [`${longFunctions.length} functions have over ${longest} lines. Split one:\n  ${longFunctions.join("\n  ")}`]
    : [])
]
