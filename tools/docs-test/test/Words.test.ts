import { assert, describe, it } from "vitest"
import { found } from "../src/Found.ts"
import { problems } from "../src/Page.ts"
import { length, sentences } from "../src/Prose.ts"
import { sourceTexts } from "../src/SourceText.ts"
import { findings } from "../src/Words.ts"

const inText = (text: string) => findings({ file: "a.md", line: 1, text }).map(({ line, word }) => [line, word])

describe("retired words", () => {
  it("are found with their line, in any case, also over the end of a line", () => {
    assert.deepStrictEqual(inText("Nobody knows.\nIt is left to\nitself, and dearer."), [
      [1, "nobody"],
      [3, "dearer"],
      [2, "left to itself"]
    ])
    assert.deepStrictEqual(inText("Performers at desks"), [
      [1, "desk"],
      [1, "performer"]
    ])
  })

  it("are whole words", () => {
    assert.deepStrictEqual(inText("a desktop, shallow marshalls, desk-check, commend, so manyfold"), [])
  })

  it("are in literals, templates, comments and names of source code, and not in addresses of imports", () => {
    const source = [
      `import { all } from "./nobody.ts"`,
      `// nobody`,
      `/** For whoever reads. */`,
      `export const desk = (count: number) => fail(\`\${count} runs, \${"so many"},`,
      `of which \${count} are "nobody's"\`)`,
      `export const text: string = 'It shall end'`,
      `export interface RealTroubles extends Night_Book<typeof desk> {}`
    ].join("\n")
    assert.deepStrictEqual(
      sourceTexts("src/TheAudience.ts", source)
        .flatMap(findings)
        .map(({ line, word }) => `${line} ${word}`)
        .toSorted(),
      [
        "1 audience",
        "2 nobody",
        "3 whoever",
        "4 desk",
        "4 so many",
        "5 nobody",
        "5 of which",
        "6 shall",
        "7 night book",
        "7 trouble"
      ]
    )
  })
})

const long = `Word ${"word ".repeat(34)}end.`

describe("a page", () => {
  it("with short sentences and plain words passes", () => {
    assert.deepStrictEqual(problems("docs/a.md", "# Title\n\nRun this:\n\n```\nnobody\n```\n\nYou see `nobody`.\n"), [])
  })

  it("says which retired word stands where, and what to write", () => {
    assert.deepStrictEqual(problems("docs/a.md", "Fine.\n\n| head |\n| --- |\n| nobody |\n"), [
      'docs/a.md:5: "nobody": write name the actor: "no client", "the service does not"'
    ])
  })

  it("has no sentence over 35 words, in a paragraph, a list or a cell of a table", () => {
    for (const page of [
      `Short.\n\nShort. ${long}`,
      `Short.\n- Short.\n- ${long}`,
      `Short.\n\n| a |\n| --- |\n| ${long} |`
    ]) {
      const [problem, ...rest] = problems("docs/a.md", page)
      assert.match(problem ?? "", /^docs\/a\.md:\d: a sentence of 36 words/u)
      assert.deepStrictEqual(rest, [])
    }
  })

  it("has at most 18 words a sentence on average", () => {
    const page = `Word ${"word ".repeat(17)}end. `.repeat(3)
    assert.deepStrictEqual(problems("docs/a.md", page), [
      "docs/a.md: 19.0 words a sentence on average, at most 18: split sentences"
    ])
  })

  it("is at most 1,000 words long, tables counted and code not, unless it is a reference", () => {
    const page = `${"| six words are in a row |\n".repeat(170)}\n\`\`\`\n${"code ".repeat(2000)}\n\`\`\`\n`
    assert.match(problems("docs/a.md", page).join(), /^docs\/a\.md: 1020 words, at most 1000/u)
    assert.deepStrictEqual(problems("docs/load-reference.md", page), [])
    assert.strictEqual(length("Two `--words=a b c`.\n\n```\nnone\n```\n"), 2)
  })

  it("is split into sentences at their ends, not at dots of names, numbers or units", () => {
    const page = 'It takes 1.5 s at v4.createRun. "Then" it ends! Node 20.18 is enough, see `a.ts`. `b` too.\n'
    assert.deepStrictEqual(
      sentences(page).map(({ words }) => words),
      [6, 3, 6, 2]
    )
  })
})

describe("words", () => {
  for (const [kind, files] of Map.groupBy([...found()], ([file]) => (file.endsWith(".ts") ? "modules" : "documents"))) {
    it(`of ${kind} are plain`, () => {
      const lines = files.flatMap(([, lines]) => lines)
      assert.isEmpty(lines, `npm run words shows them:\n${lines.join("\n")}\n`)
    })
  }
})
