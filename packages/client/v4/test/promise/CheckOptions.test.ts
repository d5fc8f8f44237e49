import { assert, describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import { ClientConfigError, type RunCreate, WebAgent, type WebAgentOptions } from "../../src/promise/index.ts"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { withAgent } from "./service.ts"

// what a program in plain JavaScript may give, where no type says anything

const options = { apiKey: "wak_canary", baseUrl: "http://127.0.0.1:1" }

/** Values of other types than an option is to be. */
const wrong = [0, -1, 5n, Number.NaN, true, null, [], new Map(), Symbol("s"), () => 1, {}, "text"] as const
const textual = wrong.slice(0, -1)
const shaped = wrong.filter((value) => typeof value !== "object" || Array.isArray(value) || value instanceof Map)
const called = wrong.filter((value) => typeof value !== "function")
const timely = wrong.filter((value) => !(typeof value === "number" && value > 0))

const given = (value: unknown) => value as object

describe("an option of another type", () => {
  const all: ReadonlyArray<readonly [name: string, values: ReadonlyArray<unknown>]> = [
    ...["apiKey", "baseUrl", "apiKeyHeader"].map((name) => [name, textual] as const),
    ...["baseUrls", "target", "timeouts", "headers", "httpClient"].map((name) => [name, shaped] as const),
    ...["fetch", "ledger", "log"].map((name) => [name, called] as const),
    ...["baseUrls.v4", "target.idempotency", "target.refusals", "headers.x-a"].map((name) => [name, textual] as const),
    ...["timeouts.connect", "timeouts.headers", "timeouts.total"].map((name) => [name, timely] as const),
    ["httpClient.layer", called],
    ["retries", wrong.slice(1)]
  ]

  for (const [name, values] of all) {
    it(`is refused at once, and named: ${name}`, () => {
      const [option = "", field] = name.split(".")
      for (const value of values) {
        if (name === "httpClient.layer" && typeof value === "object" && value !== null && !(Symbol.iterator in value))
          continue
        const odd = { ...options, [option]: field === undefined ? value : { [field]: value } }
        const make = () => new WebAgent(given(odd))
        assert.throws(make, ClientConfigError, undefined, `${name} = ${inspect(value)}`)
        assert.throws(make, new RegExp(`^${name.replace(".", String.raw`\.`)}\\b`, "u"))
      }
    })
  }

  it("is none where it is undefined, as an environment says it that has no such variable", () => {
    const none = ["apiKeyHeader", "baseUrls", "timeouts", "target", "headers", "retries", "fetch", "ledger", "log"]
    const agent = new WebAgent({ ...options, ...Object.fromEntries(none.map((name) => [name, undefined])) })
    assert.strictEqual(JSON.stringify(agent), '{"baseUrl":"http://127.0.0.1:1/api/v4"}')
  })
})

describe("what a call is given", () => {
  it.live(
    "is looked at before anything is sent that would have to be paid",
    withAgent(async (agent, server) => {
      const { browsers, runs } = agent
      const input = { task: "t" }
      const list: Iterable<RunCreate> = [input]
      const calls: ReadonlyArray<readonly [rejected: Promise<unknown>, why: RegExp]> = [
        [
          runs.create(input, given({ signal: new AbortController() })),
          /^TypeError: signal is not an AbortSignal: give/u
        ],
        [runs.create(input, given({ signal: "stop" })), /^TypeError: signal is not an AbortSignal/u],
        [
          runs.createAndWait(input, given({ result: {} })),
          /^TypeError: result must be a schema: one of Effect, or a Standard Schema/u
        ],
        [runs.createAndWait(input, given({ result: null })), /^TypeError: result must be a schema/u],
        [runs.createAndWait(input, given({ cancel: "yes" })), /^TypeError: cancel is not a function\.$/u],
        [runs.createAndWait(input, given({ timeout: {} })), /^TypeError: timeout is not a length of time/u],
        [runs.runAll(given(input) as typeof list), /^TypeError: The inputs of runAll are no list/u],
        [runs.runAll(list, given({ onProgress: 5 })), /^TypeError: onProgress is not a function\.$/u],
        [runs.runAll(list, given({ idempotencyKey: "k" })), /^TypeError: idempotencyKey is not a function\.$/u],
        [runs.runAll(list, given({ concurrency: Number.NaN })), /^TypeError: concurrency is not a number from 1/u],
        [runs.runAll(list, given({ concurrency: 0 })), /^TypeError: concurrency is not a number from 1/u],
        [browsers.use({}, given(undefined) as () => void), /^TypeError: What is given to use is not a function\.$/u]
      ]
      for (const [call, why] of calls) assert.match(String(await rejection(call)), why)
      assert.deepStrictEqual(sent(server), [])
    })
  )

  it.live(
    "may be null where a signal could be, as for fetch, and so may all of its options",
    withAgent(async (agent, server) => {
      server.script = () => ({ json: { id: "r-1", status: "running" } })
      await agent.runs.get("r-1", given({ signal: null }))
      await agent.runs.get("r-1", given(null))
      assert.lengthOf(sent(server), 2)
    })
  )
})

describe("a log that fails", () => {
  const failing: ReadonlyArray<readonly [how: string, log: NonNullable<WebAgentOptions["log"]>]> = [
    [
      "at once",
      () => {
        throw new Error("the disk is full")
      }
    ],
    ["later", async () => Promise.reject(new Error("the disk is full"))]
  ]

  for (const [how, log] of failing) {
    it.live(
      `${how} loses nothing that was paid for, and is said once`,
      withAgent(
        async (agent, server) => {
          server.script = () => ({ status: 201, json: { id: "r-1" } })
          const { warn } = console
          const warnings: Array<unknown> = []
          console.warn = (line: unknown) => void warnings.push(line)
          try {
            assert.strictEqual((await agent.runs.create({ task: "t" })).id, "r-1")
            assert.strictEqual((await agent.runs.create({ task: "t" })).id, "r-1")
          } finally {
            console.warn = warn
          }
          assert.deepStrictEqual(warnings, ["log has failed, and is overlooked where it does: the disk is full"])
        },
        { log }
      )
    )
  }
})
