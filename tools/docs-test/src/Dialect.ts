import { parseSync, Visitor } from "rolldown/utils"

/** Words that a doc comment must not begin with: it starts with a verb or a noun. */
const question = /^[*\s]*(?:What|How|Whether|Where|Why)\b/u

/** Names that don't say what a variable holds. */
const vagueNames: ReadonlySet<string> = new Set([
  "told",
  "said",
  "heard",
  "found",
  "known",
  "given",
  "asked",
  "anew",
  "beside"
])

/** Lines of a module whose wording isn't that of the project. */
export interface Dialect {
  /** Doc comments that begin with a question word, as `file:line`. */
  readonly questions: ReadonlyArray<string>
  /** Declarations of vague names, as `file:line: name`. */
  readonly vague: ReadonlyArray<string>
}

/** Finds the doc comments and variables of a module that need other words. */
export const dialectOf = (file: string, source: string): Dialect => {
  const { comments, program } = parseSync(file, source)
  const lineOf = (offset: number) => source.slice(0, offset).split("\n").length
  const vague: Array<string> = []
  const declare = ({ name, start }: { readonly name?: string; readonly start: number }) => {
    if (name !== undefined && vagueNames.has(name)) vague.push(`${file}:${lineOf(start)}: ${name}`)
  }
  const declareAll = (params: ReadonlyArray<object>) => {
    for (const param of params) declare(param as { readonly name?: string; readonly start: number })
  }
  new Visitor({
    VariableDeclarator: ({ id }) => declareAll([id]),
    FunctionDeclaration: ({ params }) => declareAll(params),
    FunctionExpression: ({ params }) => declareAll(params),
    ArrowFunctionExpression: ({ params }) => declareAll(params)
  }).visit(program)
  return {
    questions: comments
      .filter(({ type, value }) => type === "Block" && value.startsWith("*") && question.test(value))
      .map(({ start }) => `${file}:${lineOf(start)}`),
    vague
  }
}
