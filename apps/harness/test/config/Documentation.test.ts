import type * as SchemaAST from "effect/SchemaAST"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { Config } from "../../src/config/Config.ts"

/** The path of every key, where NAME is any. */
const keys = (ast: SchemaAST.AST, at: string): ReadonlyArray<string> => {
  if (ast._tag === "Union") {
    const [only, ...more] = ast.types.filter(({ _tag }) => _tag !== "Undefined")
    return only === undefined || more.length > 0 ? [at] : keys(only, at)
  }
  if (ast._tag !== "Objects") return [at]
  const below = (name: string, type: SchemaAST.AST) => keys(type, at === "" ? name : `${at}.${name}`)
  const all = [
    ...ast.propertySignatures.flatMap(({ name, type }) => below(String(name), type)),
    ...ast.indexSignatures.flatMap(({ type }) => below("NAME", type))
  ]
  return at === "" || at.endsWith("NAME") ? all : [at, ...all]
}

it("docs/harness-configuration.md has a row for every key of webagent.config.ts, and no other row", () => {
  const page = readFileSync(
    fileURLToPath(new URL("../../../../docs/harness-configuration.md", import.meta.url)),
    "utf8"
  )
  const [, section = ""] = page.split("| key | what it is |")
  const [table = ""] = section.split("\n\n")
  const cells = table.split("\n").flatMap((line) => /^\| (`[^|]*) \|/u.exec(line)?.[1] ?? [])
  const documented = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/gu)].flatMap((match) => match[1] ?? []))
  const all = keys(Config.ast, "")
  // a load profile has every key of load
  const ofLoad = all.filter((key) => /^load\.\w+$/u.test(key)).map((key) => key.replace("load.", "load.profiles.NAME."))
  assert.deepStrictEqual(documented.toSorted(), all.filter((key) => !ofLoad.includes(key)).toSorted())
})
