import { assert, describe, it } from "@effect/vitest"
import { samples } from "../../src/features/start/code.ts"
import { bodyOf, emptyForm } from "../../src/features/start/form.ts"
import { bindingsOf, withoutValues } from "../../src/features/start/secrets.ts"

const code = (name: string, body: { readonly task: string; readonly [field: string]: unknown }) =>
  samples.find((sample) => sample.name === name)?.code(body, "http://127.0.0.1:4400") ?? ""

describe("copy as code", () => {
  it("keeps a quote in the task within the shell's quotes", () => {
    const text = code("curl", { task: "Don't $(rm -rf ~) `x`" })
    assert.include(text, `-d '{"task":"Don'\\''t $(rm -rf ~) \`x\`"}'`)
  })

  it("writes TypeScript that equals the body", () => {
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

describe("a run's form", () => {
  it("makes a body of the filled fields only", () => {
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

  it("includes the ids of uploaded files and the selected profile", () => {
    assert.deepStrictEqual(bodyOf({ ...emptyForm, task: "x", profileId: "p" }, ["a"]), {
      body: { task: "x", attachedFileIds: ["a"], browserSettings: { profileId: "p" } }
    })
  })

  it("includes the filled judge, labels and browser settings", () => {
    const form = {
      ...emptyForm,
      task: "x",
      maxCostUsd: "1",
      isPaused: true,
      isJudged: true,
      judgeContext: " Below 100 EUR ",
      tags: "nightly, shop,",
      metadata: "order=17, team = shop=1",
      size: "800 × 600",
      country: "de",
      languages: "de-DE, de",
      timeZone: "Europe/Berlin"
    }
    assert.deepStrictEqual(bodyOf(form), {
      body: {
        task: "x",
        maxCostUsd: 1,
        onMaxCost: "pause",
        judge: { context: "Below 100 EUR" },
        tags: ["nightly", "shop"],
        metadata: { order: "17", team: "shop=1" },
        browserSettings: {
          screenWidth: 800,
          screenHeight: 600,
          languages: ["de-DE", "de"],
          proxyCountryCode: "de",
          timeZone: "Europe/Berlin"
        }
      }
    })
    assert.deepStrictEqual(bodyOf({ ...emptyForm, task: "x", isJudged: true }), { body: { task: "x", judge: true } })
  })

  for (const [field, form] of [
    ["maxCostUsd", { ...emptyForm, task: "x", isPaused: true }],
    ["metadata", { ...emptyForm, task: "x", metadata: "order" }],
    ["size", { ...emptyForm, task: "x", size: "large" }],
    ["country", { ...emptyForm, task: "x", country: "Germany" }],
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

describe("the form's secrets", () => {
  const secret = { alias: "pin", type: "inline", value: "canary-1", domains: "Shop.example, *.shop.example" } as const

  it("are bound to their sites, and code contains no value", () => {
    const read = bindingsOf([secret, { alias: "user", type: "server", value: " shop ", domains: "shop.example" }])
    assert.deepStrictEqual(read, {
      bindings: [
        {
          alias: "pin",
          source: { type: "inline", value: "canary-1" },
          allowedDomains: ["shop.example", "*.shop.example"]
        },
        { alias: "user", source: { type: "server", name: "shop" }, allowedDomains: ["shop.example"] }
      ]
    })
    const body = { task: "x", secretBindings: "bindings" in read ? read.bindings : [] }
    for (const { name } of samples) assert.notInclude(code(name, withoutValues(body)), "canary-1", name)
  })

  for (const [index, field, wrong, reason] of [
    [0, "alias", [{ ...secret, alias: "a b" }], "letters"],
    [1, "alias", [secret, secret], "Another"],
    [0, "value", [{ ...secret, value: "abc" }], "4 characters"],
    [0, "value", [{ ...secret, type: "server", value: " " }], "server's secret"],
    [0, "domains", [{ ...secret, domains: " , " }], "sites"]
  ] as const) {
    it(`name an invalid one, and its field: ${reason}`, () => {
      const read = bindingsOf(wrong)
      assert.isTrue("reason" in read && read.reason.includes(reason), JSON.stringify(read))
      assert.deepInclude(read, { index, field })
    })
  }
})
