import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { guides, root, sources } from "../src/Documents.ts"
import { measure, type Measures, measureTexts } from "../src/Patterns.ts"
import { messages } from "../src/SourceText.ts"

/** The most and the least of each pattern per 10,000 words, from the measures of well-written guides elsewhere. */
const goals = { whatAsNoun: 12, nounOfNoun: 5, aForPer: 0, answer: 3, idiom: 0 }
const limits = { most: { ...goals, inTables: 0.15 }, least: { addressed: 40, example: 8 } }

describe("the patterns of a page", () => {
  it("are counted per 10,000 words, without code", () => {
    const page = `# Title

It deletes what ended long ago. What is it? Ask what it is?

\`\`\`
limits of keys
\`\`\`

The limits of keys are 20 requests a minute, and takes a minute are not. It goes on and answers.

| you can |
| --- |
| for example |
`
    const { words, ...rates } = measure([page])
    const counts = Object.fromEntries(
      Object.entries(rates).map(([name, rate]) => [name, name === "inTables" ? rate : Math.round((rate * words) / 1e4)])
    )
    assert.deepStrictEqual(counts, {
      whatAsNoun: 1,
      nounOfNoun: 1,
      aForPer: 1,
      answer: 1,
      idiom: 1,
      addressed: 1,
      example: 1,
      inTables: 4 / words
    })
  })
})

const check = (measures: Measures, { least = {}, most }: { most: object; least?: object }) => {
  for (const [name, limit] of Object.entries(most)) {
    it(`have at most ${limit} of ${name}`, () => assert.isAtMost(measures[name as keyof Measures], limit))
  }
  for (const [name, limit] of Object.entries(least)) {
    it(`have at least ${limit} of ${name}`, () => assert.isAtLeast(measures[name as keyof Measures], limit))
  }
}

const read = (file: string) => readFileSync(join(root, file), "utf8")

describe("the guides", () => {
  check(measure(guides().map(read)), limits)
})

describe("help and pages of commands", () => {
  check(measure(globSync("docs/{cli.md,cli/*.md}", { cwd: root }).map(read)), { most: goals })
})

describe("messages of the sources", () => {
  // instructions for a model, tests and tasks of examples aren't messages
  const others =
    /\/test\/|^tools\/|^apps\/examples\/|^packages\/testing\/|^packages\/service\/agent\/src\/agent\/|^packages\/harness\/eval\/src\/sites\//u
  const files = sources().filter((file) => !others.test(file))
  check(measureTexts(files.flatMap((file) => messages(file, read(file)))), { most: goals })
})
