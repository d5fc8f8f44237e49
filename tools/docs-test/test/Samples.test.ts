import { assert, describe, it } from "vitest"
import { documents, root } from "../src/Documents.ts"
import { fences } from "../src/Fence.ts"
import { missing, outputOf, samples } from "../src/Sample.ts"

describe("a sample", () => {
  const output = "a  run 12 ms\n\nid 5f2e0c1a-0000-4000-8000-000000000000 ok\nlast"

  it("may have other numbers, ids and spaces, and omit lines and parts of lines", () => {
    for (const shown of [
      "a run 3.4 s\n",
      "$ npm start\na run 1 ms",
      "a run 1 ms\n...\nlast",
      "id 00000000-0000-4000-8000-000000000000 ok\nlast",
      "id …\nlast"
    ]) {
      assert.isUndefined(missing(shown, output), shown)
    }
  })

  it("has no other line, and none elsewhere", () => {
    assert.strictEqual(missing("a run 1 ms\nlast", output), "last")
    assert.strictEqual(missing("last\n...\na run 1 ms", output), "a run 1 ms")
    assert.strictEqual(missing("a walk 1 ms", output), "a walk 1 ms")
  })
})

describe("program output in documents", () => {
  const shown = documents().flatMap((document) => fences(root, document).filter(({ sample }) => sample !== undefined))

  it("has a command for each sample, and a page for each command", () => {
    const used = new Set(shown.map(({ sample }) => sample))
    assert.deepStrictEqual([...used].toSorted(), Object.keys(samples).toSorted())
  })

  for (const [name, sample] of Object.entries(samples)) {
    it(`${name} is the program's output`, async () => {
      const output = await outputOf(sample)
      for (const { code, document, line } of shown.filter((fence) => fence.sample === name)) {
        assert.isUndefined(
          missing(code, output),
          `is not printed where ${document}:${line} shows it. Printed:\n${output}`
        )
      }
    })
  }
})
