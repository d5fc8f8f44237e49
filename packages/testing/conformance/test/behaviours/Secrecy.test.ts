import { assert, describe, it } from "@effect/vitest"
import { Transport } from "@webagent/core"
import { Server } from "@webagent/simulation"
import { Sessions as V2Sessions } from "@webagent/v2"
import { Sessions as V3Sessions } from "@webagent/v3"
import { Browsers, Runs } from "@webagent/v4"
import { WebAgent } from "@webagent/v4/promise"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { inspect } from "node:util"
import { apiKey, findings, layer, on, requests } from "./stage.ts"

const redirect = { kind: "redirect" } as const
const unknownId = "00000000-0000-4000-8000-000000000000"

describe("secrets", () => {
  for (const http of ["fetch", "undici"] as const) {
    it.live(`W2: neither the key nor a body follows a redirect to another origin, over ${http}`, () =>
      Effect.gen(function* () {
        const runs = yield* Runs
        const browsers = yield* Browsers
        const three = yield* V3Sessions
        for (const task of ["secret 1", "secret 2", "secret 3"]) {
          const error = yield* Effect.flip(runs.create({ task }))
          assert.match(
            error.message,
            /status 30[278].*It points to http:\/\/127\.0\.0\.1:\d+\/trap\/api\/v4\/runs\. Request id \S+\.$/u
          )
        }
        yield* Effect.flip(three.create({ task: "secret" }))
        yield* Effect.flip(runs.get(unknownId))
        yield* Effect.flip(browsers.stop(unknownId))
        assert.lengthOf(yield* requests("trap"), 0)
        assert.deepStrictEqual(yield* findings("key-sent-elsewhere"), [])
      }).pipe(
        Effect.provide(
          layer({
            http,
            service: { control: { key: "control" } },
            faults: [
              { fault: { kind: "redirect", status: 302 }, when: { operations: ["v4.createRun"], nth: [1] } },
              { fault: { kind: "redirect", status: 307 }, when: { operations: ["v4.createRun"], nth: [2] } },
              { fault: { kind: "redirect", status: 308 }, when: { operations: ["v4.createRun"], nth: [3] } },
              on("v3.createSession", redirect),
              on("v4.getRun", redirect),
              on("v4.updateBrowser", redirect)
            ]
          })
        )
      )
    )
  }

  it.live("W18: an id is encoded as one path segment, or refused before the request", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const sessions = yield* V2Sessions
      for (const id of ["../browsers", "a/b", "a?b", "a#b", "%2e%2e", "..", "."]) {
        const error = yield* Effect.flip(runs.get(id))
        if (error._tag === "TransportError") assert.strictEqual(error.reason._tag, "InvalidRequest", id)
        else assert.strictEqual(error._tag, "RunNotFoundError", id)
      }
      for (const error of [yield* Effect.flip(runs.get("")), yield* Effect.flip(sessions.get("no-uuid"))]) {
        assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "InvalidRequest")
      }
      const unrouted = yield* requests("unrouted")
      assert.deepStrictEqual([unrouted, yield* requests("v2.getSession")], [[], []])
      for (const { path } of yield* requests("v4.getRun")) assert.match(path, /^\/api\/v4\/runs\/[^/?#]+$/u)
    }).pipe(Effect.provide(layer({})))
  )

  it.live("W19: the key is in no error, no log line, and no printed or serialized client", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(inspect(message, { depth: 9 })))
    return Effect.gen(function* () {
      const { address } = yield* Server
      const runs = yield* Runs
      const agent = new WebAgent({ baseUrl: address, apiKey })
      const failures: ReadonlyArray<unknown> = [
        yield* Effect.flip(runs.create({ task: apiKey })),
        yield* Effect.flip(runs.get(unknownId)),
        yield* Effect.promise(() => agent.runs.get(unknownId).catch((error: unknown) => error))
      ]
      const shown = [agent, runs, yield* Transport, ...failures].flatMap((value) => [
        inspect(value, { depth: 9, showHidden: true }),
        JSON.stringify(value) ?? "",
        String(value)
      ])
      yield* Effect.promise(() => agent.close())
      assert.isNotEmpty(lines)
      assert.deepStrictEqual(
        [...shown, ...lines].filter((text) => text.includes(apiKey)),
        []
      )
      assert.deepStrictEqual(yield* findings("key-in-url"), [])
    }).pipe(
      Effect.provide(
        layer({
          // a service that shows the key of its caller
          faults: [on("v4.createRun", { kind: "status", status: 503, detail: `The key ${apiKey} is odd.` })]
        })
      ),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
  })
})
