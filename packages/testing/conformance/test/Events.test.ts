import { assert, describe, it, layer } from "@effect/vitest"
import { Server, SimulatedService } from "@webagent/simulation"
import { Runs } from "@webagent/v4"
import { Events } from "@webagent/v4/events"
import { WebAgent } from "@webagent/v4/promise"
import { events, watch, type WatchedEvent } from "@webagent/v4/promise/events"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as clients from "./clients.ts"

const task = "Buy the red mug [simulate duration=2s]"

const began = ["run.queued", "run.dispatching", "run.running"]

for (const http of ["fetch", "undici"] as const) {
  layer(clients.layer(http), { excludeTestServices: true })(`events of runs over ${http}`, (it) => {
    it.effect("emits each status and step of a run once, and continues after a position", () =>
      Effect.gen(function* () {
        const runs = yield* Runs
        const { watch } = yield* Events
        const { id } = yield* runs.create({ task })
        const all = yield* Stream.runCollect(watch(id))
        const types = all.map(({ type }) => type)
        assert.deepStrictEqual<ReadonlyArray<string>>(types.slice(0, 3), began)
        assert.strictEqual(types.at(-1), "run.completed")
        assert.include(types, "run.step.started")
        assert.strictEqual(new Set(all.map(({ id }) => id)).size, all.length)
        assert.deepStrictEqual(yield* Stream.runCollect(watch(id, { after: all[2]?.id })), all.slice(3))
        // after the last one, the final status is repeated
        assert.deepStrictEqual(
          (yield* Stream.runCollect(watch(id, { after: all.at(-1)?.id }))).map(({ type }) => type),
          ["run.completed"]
        )
      })
    )
  })
}

describe("events for promises", () => {
  const served = (
    test: (agent: WebAgent, journal: () => Promise<ReadonlyArray<string>>) => Promise<void>,
    options = {}
  ) =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      const sent: Array<string> = []
      const hooks = { onRequest: ({ url }: { readonly url: string }) => void sent.push(new URL(url).pathname) }
      const agent = new WebAgent({ baseUrl: address, apiKey: apiKeys[0], hooks, ...options })
      yield* Effect.promise(() => test(agent, async () => sent)).pipe(
        Effect.ensuring(Effect.promise(() => agent.close()))
      )
    }).pipe(Effect.provide(SimulatedService.layerTest))

  it.live("watch iterates over the events, and leaving the loop aborts the request", () =>
    served(async (agent) => {
      const { id } = await agent.runs.create({ task })
      const seen: Array<WatchedEvent> = []
      for await (const event of watch(agent, id)) {
        seen.push(event)
        if (event.type === "run.step.started") break
      }
      for await (const event of watch(agent, id, { after: seen.at(-1)?.id, timeout: "1 minute" })) seen.push(event)
      const types = seen.map(({ type }) => type)
      assert.deepStrictEqual<ReadonlyArray<string>>(types.slice(0, 4), [...began, "run.step.started"])
      assert.strictEqual(types.at(-1), "run.completed")
      assert.strictEqual(seen[3]?.data?.step, 1)
    })
  )

  it.live("watch rejects for an unknown run and for a misspelled option", () =>
    served(async (agent) => {
      const collect = async (id: string, options?: object) => {
        for await (const event of watch(agent, id, options)) void event
      }
      const unknown = await collect("00000000-0000-4000-8000-000000000000").catch((error) => error)
      assert.strictEqual(unknown._tag, "RunNotFoundError")
      const misspelt = await collect("00000000-0000-4000-8000-000000000000", { afetr: 1 }).catch((error) => error)
      assert.strictEqual(misspelt.message, "afetr is not an option. Did you mean after?")
    })
  )

  it.live("a client with events sends fewer requests while waiting, and reports the same statuses", () =>
    served(
      async (agent, sent) => {
        const statuses: Array<string> = []
        const run = await agent.runs.createAndWait(
          { task },
          { first: "100 millis", every: "10 millis", onStatus: ({ status }) => void statuses.push(status) }
        )
        assert.strictEqual(run.status, "completed")
        assert.deepStrictEqual(statuses.slice(-2), ["running", "completed"])
        const requests = await sent()
        assert.isTrue(requests.some((path) => path.endsWith("/events")))
        assert.isBelow(requests.length, 20)
      },
      { events }
    )
  )
})
