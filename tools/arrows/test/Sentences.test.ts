import { assert, describe, it } from "vitest"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type ESTree, parseSync, Visitor } from "rolldown/utils"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** The methods and functions that cut, match or compare a text. */
const methods = new Set([
  "charAt",
  "endsWith",
  "includes",
  "indexOf",
  "localeCompare",
  "match",
  "matchAll",
  "replace",
  "replaceAll",
  "search",
  "slice",
  "split",
  "startsWith",
  "substring"
])

/** The fields of a described finding, which are sentences wherever they are read. */
const sentenceFields = new Set(["age", "baseline", "cause", "detail", "evidence", "place", "shared", "what"])

/** The functions of the words that return several sentences. */
const makers = new Set(["describe", "of"])

const nameOf = (node: ESTree.Node): string | undefined => (node.type === "Identifier" ? node.name : undefined)

/** Returns the places in a module that cut, match or compare a sentence of findings, as `file:line`. */
const violationsIn = (file: string, text: string): ReadonlyArray<string> => {
  const { program } = parseSync(file, text)
  const modules = new Set<string>()
  const sentences = new Set<string>()
  const isWords = (node: ESTree.Node): boolean => {
    if (node.type === "ChainExpression") return isWords(node.expression)
    if (node.type === "MemberExpression")
      return node.property.type === "Identifier" && sentenceFields.has(node.property.name)
    if (node.type === "CallExpression") {
      const { callee } = node
      return callee.type === "MemberExpression"
        ? modules.has(nameOf(callee.object) ?? "")
        : modules.has(nameOf(callee) ?? "")
    }
    return sentences.has(nameOf(node) ?? "")
  }
  new Visitor({
    ImportDeclaration: ({ source, specifiers }) => {
      if (!/\/words\//u.test(source.value)) return
      for (const { local } of specifiers) modules.add(local.name)
    }
  }).visit(program)
  if (modules.size === 0) return []
  const isObject = (node: ESTree.Node) =>
    node.type === "CallExpression" &&
    node.callee.type === "MemberExpression" &&
    node.callee.property.type === "Identifier" &&
    makers.has(node.callee.property.name)
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (init === null) return
      if (id.type === "Identifier" && isWords(init) && !isObject(init)) sentences.add(id.name)
      if (id.type !== "ObjectPattern") return
      for (const property of id.properties) {
        if (property.type !== "Property" || property.value.type !== "Identifier") continue
        if (sentenceFields.has(nameOf(property.key) ?? "") && isWords(init)) sentences.add(property.value.name)
      }
    }
  }).visit(program)
  const found: Array<string> = []
  const report = ({ start }: { readonly start: number }) =>
    void found.push(`${file}:${text.slice(0, start).split("\n").length}`)
  const isText = (node: ESTree.Node) =>
    isWords(node) || node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string")
  new Visitor({
    CallExpression: (node) => {
      const { arguments: args, callee } = node
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return
      const { name } = callee.property
      if (methods.has(name) && isWords(callee.object)) report(node)
      if ((name === "test" || name === "exec") && args.some(isWords)) report(node)
    },
    BinaryExpression: (node) => {
      if (!/^[!=]==?$/u.test(node.operator)) return
      if (isText(node.left) && isText(node.right) && (isWords(node.left) || isWords(node.right))) report(node)
    },
    SwitchStatement: (node) => {
      if (isWords(node.discriminant)) report(node)
    }
  }).visit(program)
  return found
}

/** The words themselves, and the only module that reads the sentences of earlier versions. */
const isAllowed = (file: string) =>
  file.startsWith("packages/harness/findings/src/words/") || file === "packages/harness/report/src/StoredSentences.ts"

describe("a sentence of findings", () => {
  const words = 'import * as FindingText from "@webagent/findings/words/FindingText"\n'

  it.each([
    'const at = FindingText.brief(one).split(": ")',
    'const text = FindingText.brief(one)\nconst isNew = text.startsWith("new")',
    "const { evidence } = FindingText.describe(one)\nconst isLeak = /leak/u.test(evidence)",
    'const isLeak = FindingText.describe(one).evidence === "leaked a browser"',
    "const isSame = FindingText.brief(one) === FindingText.brief(other)",
    'const text = FindingText.brief(one)\nswitch (text) { case "leak": break }'
  ])("is found where it is cut, matched or compared: %s", (code) => {
    assert.lengthOf(violationsIn("a.ts", words + code), 1)
  })

  it("may be printed", () => {
    const drawn =
      "const { evidence } = FindingText.describe(one)\nconst line = `${evidence}: ${FindingText.brief(one)}`"
    assert.isEmpty(violationsIn("a.ts", words + drawn))
  })

  it("is cut, matched or compared only in the modules for words", () => {
    const files = globSync("{apps,packages/harness}/**/src/**/*.ts", { cwd: root, exclude: ["**/node_modules/**"] })
    assert.isAbove(files.length, 200)
    assert.deepStrictEqual(
      files.filter((file) => !isAllowed(file)).flatMap((file) => violationsIn(file, readFileSync(root + file, "utf8"))),
      []
    )
  })
})
