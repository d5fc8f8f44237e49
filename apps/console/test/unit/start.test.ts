import { assert, describe, it } from "@effect/vitest"
import { samples } from "../../src/features/start/code.ts"
import { bodyOf, emptyForm } from "../../src/features/start/form.ts"

const code = (name: string, body: { readonly task: string; readonly [field: string]: unknown }) =>
  samples.find((sample) => sample.name === name)?.code(body, "http://127.0.0.1:4400") ?? ""

describe("copy as code", () => {
  it("keeps a quote of the task within the shell's quotes", () => {
    const text = code("curl", { task: "Don't $(rm -rf ~) `x`" })
    assert.include(text, `-d '{"task":"Don'\\''t $(rm -rf ~) \`x\`"}'`)
  })

  it("writes TypeScript that is the body", () => {
    const body = { task: 'A "quoted"\u2028task', modelParams: { "top-p": 1, effort: "high", ["__proto__"]: 1 } }
    const text = code("TypeScript", body)
    const [, literal = ""] = /const request = ([\s\S]+)\nconst run/u.exec(text) ?? []
    assert.notInclude(literal, "\u2028")
    // the sample is made by this repository and holds nothing but the literal
    // oxlint-disable-next-line no-new-func, no-implied-eval
    assert.deepStrictEqual(new Function(`return (${literal})`)(), body)
  })

  it("keeps each line of a task in a comment of the MCP sample", () => {
    const text = code("MCP", { task: "first\nrm -rf ~" })
    assert.include(text, "# first\n# rm -rf ~")
  })

  it("reads the key from the environment in every sample", () => {
    for (const { code: write, name } of samples)
      assert.include(write({ task: "x" }, "http://127.0.0.1:4400"), "WEBAGENT_API_KEY", name)
  })
})

describe("the form of a run", () => {
  it("is a body with the filled fields only", () => {
    assert.deepStrictEqual(bodyOf({ ...emptyForm, task: " Find a mug " }), { body: { task: "Find a mug" } })
    assert.deepStrictEqual(
      bodyOf({ ...emptyForm, task: "x", maxCostUsd: "0.5", schema: '{"type":"object"}', isRecorded: true, model: "m" }),
      {
        body: {
          task: "x",
          model: "m",
          outputSchema: { type: "object" },
          maxCostUsd: 0.5,
          browserSettings: { record: true }
        }
      }
    )
  })

  it("has the ids of uploaded files and the chosen profile", () => {
    assert.deepStrictEqual(bodyOf({ ...emptyForm, task: "x", profileId: "p" }, ["a"]), {
      body: { task: "x", attachedFileIds: ["a"], browserSettings: { profileId: "p" } }
    })
  })

  for (const [field, form] of [
    ["task", { ...emptyForm, task: "  " }],
    ["schema", { ...emptyForm, task: "x", schema: "{" }],
    ["schema", { ...emptyForm, task: "x", schema: "[]" }],
    ["maxCostUsd", { ...emptyForm, task: "x", maxCostUsd: "cheap" }],
    ["maxCostUsd", { ...emptyForm, task: "x", maxCostUsd: "0" }]
  ] as const) {
    it(`names the field ${field} as wrong: ${JSON.stringify(form[field])}`, () => {
      const read = bodyOf(form)
      assert.isTrue("field" in read && read.field === field)
    })
  }
})
