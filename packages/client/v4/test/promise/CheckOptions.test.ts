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
    ["hooks.onRequest", called],
    ["httpClient.layer", called],
    ["polling", shaped],
    ["polling.every", wrong.filter((value) => value !== 0)],
    ["polling.first", wrong.filter((value) => value !== 0)],
    ["polling.perSecond", wrong],
    ["polling.burst", wrong.filter((value) => value !== 0)],
    ["retries", wrong.slice(1)]
  ]

  for (const [name, values] of all) {
    it(`is refused at once by its name: ${name}`, () => {
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

  it("is shown in the error, unless it may be a key", () => {
    const messages = [
      { ledger: "ledger.ndjson" },
      { retries: -1 },
      { timeouts: { total: null } },
      { polling: { perSecond: Number.NaN } },
      { apiKey: { key: "wak_canary" } },
      { headers: { authorization: ["wak_canary"] } }
    ].map((odd) => {
      try {
        return String(new WebAgent(given({ ...options, ...odd })))
      } catch (error) {
        return String(error)
      }
    })
    assert.deepStrictEqual(messages, [
      'ClientConfigError: ledger must be a function; got "ledger.ndjson".',
      "ClientConfigError: retries must be a whole number from 0; got -1.",
      'ClientConfigError: timeouts.total must be a length of time, such as "30 seconds"; got null.',
      "ClientConfigError: polling.perSecond must be above 0; got NaN.",
      "ClientConfigError: apiKey must be a string; got object.",
      "ClientConfigError: headers.authorization must be a string; got object."
    ])
  })

  it("is ignored if it's undefined, like a missing environment variable", () => {
    const none = ["apiKeyHeader", "baseUrls", "timeouts", "target", "headers", "retries", "fetch", "ledger", "log"]
    const agent = new WebAgent({ ...options, ...Object.fromEntries(none.map((name) => [name, undefined])) })
    assert.strictEqual(JSON.stringify(agent), '{"baseUrl":"http://127.0.0.1:1/api/v4"}')
  })
})

describe("the arguments of a call", () => {
  it.live(
    "are checked before anything is sent that costs money",
    withAgent(async (agent, server) => {
      const { browsers, runs } = agent
      const input = { task: "t" }
      const list: Iterable<RunCreate> = [input]
      const calls: ReadonlyArray<readonly [rejected: Promise<unknown>, why: RegExp]> = [
        [
          runs.create(input, given({ signal: new AbortController() })),
          /^TypeError: signal must be an AbortSignal; got \{\}\.$/u
        ],
        [runs.create(input, given({ signal: "stop" })), /^TypeError: signal must be an AbortSignal; got "stop"\.$/u],
        [
          runs.createAndWait(input, given({ result: {} })),
          /^TypeError: result must be a schema, such as zod's or Effect's/u
        ],
        [runs.createAndWait(input, given({ result: null })), /^TypeError: result must be a schema/u],
        [runs.createAndWait(input, given({ cancel: "yes" })), /^TypeError: cancel must be a function; got "yes"\.$/u],
        [
          runs.createAndWait(input, given({ timeout: {} })),
          /^TypeError: timeout must be a length of time, such as "30 seconds"; got \{\}\.$/u
        ],
        [runs.runAll(given(input) as typeof list), /^TypeError: The inputs of runAll must be an array/u],
        [runs.runAll(list, given({ onProgress: 5 })), /^TypeError: onProgress must be a function; got 5\.$/u],
        [
          runs.runAll(list, given({ idempotencyKey: "k" })),
          /^TypeError: idempotencyKey must be a function; got "k"\.$/u
        ],
        [
          runs.runAll(list, given({ concurrency: Number.NaN })),
          /^TypeError: concurrency must be 1 or more; got NaN\.$/u
        ],
        [runs.runAll(list, given({ concurrency: 0 })), /^TypeError: concurrency must be 1 or more; got 0\.$/u],
        [runs.runAll(list, given({ concurrency: 5n })), /^TypeError: concurrency must be 1 or more; got 5\.$/u],
        [
          runs.create(input, given({ timeout: 0 })),
          /^TypeError: timeout must be a length of time above zero, .*; got 0\.$/u
        ],
        [
          runs.create(input, given({ retries: Symbol("s") })),
          /^TypeError: retries must be 0 or more; got Symbol\(s\)\.$/u
        ],
        [runs.create(input, given({ retries: [] })), /^TypeError: retries must be 0 or more; got \[\]\.$/u],
        [
          runs.create(input, given({ extraBody: "text" })),
          /^TypeError: extraBody must be an object with fields; got "text"\.$/u
        ],
        [
          runs.create(input, given({ headers: { "x-a": { b: 1 } } })),
          /not sent, headers\.x-a must be a string without control characters\.$/u
        ],
        [
          runs.create(input, given({ headers: { "x-a": ["b"] } })),
          /not sent, headers\.x-a must be a string without control characters\.$/u
        ],
        [
          agent.request("GET", given(Symbol("s")) as unknown as string),
          /not sent, path must be a path such as "\/runs", .*; got Symbol\(s\)\.$/u
        ],
        [
          agent.request("GET", "/runs", given({ query: "a=1" })),
          /^TypeError: query must be an object with fields; got "a=1"\.$/u
        ],
        [
          browsers.use({}, given(undefined) as () => void),
          /^TypeError: What is given to use must be a function; got null\.$/u
        ]
      ]
      for (const [call, why] of calls) assert.match(String(await rejection(call)), why)
      assert.deepStrictEqual(sent(server), [])
    })
  )

  it.live(
    "may be null in place of an option or of all options, as for fetch",
    withAgent(async (agent, server) => {
      server.script = () => ({ json: { id: "r-1", status: "running" } })
      await agent.runs.get("r-1", given({ signal: null }))
      await agent.runs.get("r-1", given(null))
      await agent.request("GET", "/runs", given(null))
      await agent.request("GET", "/runs", given({ query: null }))
      const none = given({ timeout: null, retries: null, extraBody: null, headers: null, requestId: null })
      await agent.runs.create({ task: "t" }, none)
      assert.lengthOf(sent(server), 5)
      server.script = () => ({ json: { id: "r-1", status: "completed" } })
      const wait = given({ timeout: null, every: null, cancel: null, onProgress: null, concurrency: null })
      await agent.runs.untilTerminal("r-1", given({ ...wait, first: null }))
      await agent.runs.createAndWait({ task: "t" }, given({ ...wait, first: 0 }))
      await agent.runs.runAll([], wait)
      for await (const { status } of agent.runs.watch("r-1", given(null))) assert.strictEqual(status, "completed")
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
      `${how} loses no paid run, and is reported once`,
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
          assert.deepStrictEqual(warnings, ["log has failed: the disk is full"])
        },
        { log }
      )
    )
  }
})

describe("an option with an unknown name", () => {
  it("is refused by the constructor, with the name that was probably meant", () => {
    for (const [odd, sentence] of [
      [{ apikey: "wak" }, "apikey is not an option. Did you mean apiKey?"],
      [{ timeouts: { totl: 1000 } }, "timeouts.totl is not an option. Did you mean timeouts.total?"],
      [{ polling: { evry: 1000 } }, "polling.evry is not an option. Did you mean polling.every?"],
      [{ target: { color: "red" } }, "target.color is not an option. Use idempotency, refusals."]
    ] as const) {
      assert.throws(() => new WebAgent(given({ ...options, ...odd })), ClientConfigError, sentence)
    }
  })

  it("is refused by a call before anything is sent", async () => {
    const agent = new WebAgent(options)
    const odd = given({ timout: 1000 })
    const changes = agent.runs.watch("r", odd)[Symbol.asyncIterator]()
    const calls = [
      agent.runs.get("r", odd),
      agent.runs.createAndWait({ task: "t" }, odd),
      agent.browsers.create({}, odd),
      agent.request("GET", "/runs", odd),
      changes.next()
    ]
    for (const call of calls) {
      const error = await rejection(call)
      assert.instanceOf(error, TypeError)
      assert.strictEqual(error.message, "timout is not an option. Did you mean timeout?")
    }
    await agent.close()
  })
})
