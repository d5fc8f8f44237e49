import { assert, describe, it } from "@effect/vitest"
import { Oracles, Server, type SimulatedOptions, SimulatedService } from "@webagent/simulation"
import * as V2 from "@webagent/v2/promise"
import * as V3 from "@webagent/v3/promise"
import * as V4 from "@webagent/v4/promise"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const httpClients = { fetch: { fetch: globalThis.fetch }, undici: {} } as const
const fast = { first: 0, every: "5 millis" } as const

/** A test in promises at a simulated service of its own; what the service itself has seen has to be in order after it. */
const served =
  (
    test: (options: V4.WebAgentOptions) => Promise<void>,
    http: keyof typeof httpClients = "fetch",
    options: SimulatedOptions = {}
  ) =>
  () =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      yield* Effect.promise(() => test({ baseUrl: address, apiKey: apiKeys[0], ...httpClients[http] }))
      const { verdicts } = yield* (yield* Oracles).verdicts
      assert.deepStrictEqual(
        verdicts.filter(({ holds }) => !holds).map(({ sentence }) => sentence),
        []
      )
    }).pipe(Effect.provide(Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis", ...options }))))

const flaky = {
  faults: [
    {
      fault: { kind: "reset" },
      when: { operations: ["v4.getRunStatus", "v4.getRun", "v4.updateBrowser"], rate: 0.15 }
    },
    {
      fault: { kind: "status", placement: "after-apply" },
      when: { operations: ["v4.getRunStatus", "v4.getRun", "v4.updateBrowser"], rate: 0.15 }
    }
  ]
} satisfies SimulatedOptions

for (const http of ["fetch", "undici"] as const) {
  describe(`promises over ${http}`, () => {
    it.live(
      "v4 creates a run, a follow-up and a browser",
      served(async (options) => {
        await using agent = new V4.WebAgent(options)
        const seen: Array<string> = []
        const { id, sessionId } = await agent.runs.create({
          task: "[simulate output=one duration=30ms keepAlive=true]"
        })
        for await (const { status } of agent.runs.watch(id, fast)) seen.push(status)
        assert.strictEqual(seen.at(-1), "completed")
        assert.strictEqual((await agent.runs.get(id)).result, "one")
        const next = await agent.sessions.followUpAndWait(sessionId ?? "", "[simulate output=two]", fast)
        assert.deepStrictEqual([next.result, next.sessionId], ["two", sessionId])
        await using browser = await agent.browsers.create({ proxyCountryCode: "no" })
        assert.match(browser.cdpUrl, /^ws:/u)
      }, http)
    )

    it.live(
      "v3 and v2 create a session",
      served(async (options) => {
        await using three = new V3.WebAgent(options)
        const session = await three.sessions.createAndWait({ task: "[simulate output=three]" }, fast)
        assert.strictEqual(session.result, "three")
        await using two = new V2.WebAgent(options)
        assert.strictEqual((await two.sessions.untilTerminal(session.id, fast)).tasks[0]?.output, "three")
      }, http)
    )

    it.live(
      "v4 loses, doubles and leaks nothing at a service where a third of all reads and stops fail",
      served(
        async (options) => {
          await using agent = new V4.WebAgent({ ...options, retries: 12 })
          const tasks = Array.from({ length: 40 }, (_, index) => ({ task: `[simulate output=${index}]` }))
          const [{ results }] = await Promise.all([
            agent.runs.runAll(tasks, fast),
            ...Array.from({ length: 10 }, async () => {
              await using _ = await agent.browsers.create()
            }),
            // these are left to the end of the agent
            agent.browsers.create(),
            agent.browsers.create()
          ])
          assert.deepStrictEqual(
            results.map((result) => result.status === "fulfilled" && result.value.result),
            tasks.map((_, index) => index)
          )
        },
        http,
        flaky
      )
    )
  })
}

describe("errors of the service", () => {
  it.live(
    "are instances of their classes",
    served(async (options) => {
      await using agent = new V4.WebAgent(options)
      const absent = "00000000-0000-4000-8000-000000000000"
      const rejections = await Promise.allSettled([
        agent.runs.get(absent),
        agent.browsers.stop(absent),
        agent.sessions.queue(absent, { text: "t" }),
        agent.browsers.create({ proxyCountryCode: "norway" }),
        new V4.WebAgent({ ...options, apiKey: "wak_wrong" }).runs.get(absent)
      ])
      const classes = [
        V4.RunNotFoundError,
        V4.BrowserNotFoundError,
        V4.SessionNotFoundError,
        V4.HTTPValidationError,
        V4.UnauthorizedError
      ]
      for (const [index, rejection] of rejections.entries()) {
        assert.instanceOf(rejection.status === "rejected" && rejection.reason, classes[index] ?? Error)
      }
    })
  )
})
