import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { dialectOf } from "../src/Dialect.ts"
import { root, sources } from "../src/Documents.ts"

/** The number of vague names today. Lower it whenever it falls. */
const mostVague = 74

describe("the dialect check of a module", () => {
  it("finds doc comments that begin with a question word, and vague names", () => {
    const source = `/** What it is. */
export const found = (told: string, list: string) => told
/**
 * Where it lies.
 */
function f(said: number) { const known = said }
/** Returns what it is. */
// What it is
export const fine = 1
`
    assert.deepStrictEqual(dialectOf("a.ts", source), {
      questions: ["a.ts:1", "a.ts:3"],
      vague: ["a.ts:2: found", "a.ts:2: told", "a.ts:6: said", "a.ts:6: known"]
    })
  })
})

describe("the sources", () => {
  const dialects = sources()
    .filter((file) => !/\/test\//u.test(file))
    .map((file) => dialectOf(file, readFileSync(join(root, file), "utf8")))

  it("have doc comments that start with a verb or a noun", () => {
    assert.deepStrictEqual(
      dialects.flatMap(({ questions }) => questions),
      []
    )
  })

  it("get no more variables with vague names", () => {
    const vague = dialects.flatMap(({ vague }) => vague)
    assert.isAtMost(vague.length, mostVague, vague.join("\n"))
  })
})
