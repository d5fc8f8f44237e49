import { apiKeyHeader } from "@webagent/contract/Wire"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Exchange } from "../src/Cassette.ts"
import * as ProxyApp from "../src/ProxyApp.ts"
import * as ReplayApp from "../src/ReplayApp.ts"
import { ask, client, recording, served, simulated } from "./services.ts"

const header = { cassette: 1, startedAt: "2026-11-22T21:00:00.000Z", target: "https://service.test" } as const

/** Polls a run until it is over; answers what it saw, without repetitions. */
const follow = Effect.fnUntraced(function* (http: Parameters<typeof ask>[0], address: string) {
  const created = yield* ask(http, "POST", `${address}/api/v4/runs`, { task: "Buy a mug [simulate duration=300ms]" })
  const seen: Array<string> = []
  while (seen.at(-1) !== "completed") {
    const { json } = yield* ask(http, "GET", `${address}/api/v4/runs/${created.json.id}/status`)
    if (seen.at(-1) !== json.status) seen.push(json.status)
    yield* Effect.sleep("10 millis")
  }
  const run = yield* ask(http, "GET", `${address}/api/v4/runs/${created.json.id}`)
  return { seen, run: run.json }
})

const replayed = (exchanges: ReadonlyArray<Exchange>, speed: number) =>
  Effect.flatMap(ReplayApp.make({ ...header, exchanges }, { apiKeyHeader, match: "body", speed }), served)

describe("ReplayApp", () => {
  it.live("replays a run recorded through the proxy with the same ids, statuses and result, in the recorded time", () =>
    Effect.gen(function* () {
      const { exchanges, http } = yield* recording()
      const proxy = yield* served(ProxyApp.make(http, yield* simulated()))
      const direct = yield* client
      const recorded = yield* follow(direct, proxy)
      assert.deepStrictEqual(recorded.seen.at(-1), "completed")

      const [took, again] = yield* Effect.timed(follow(direct, yield* replayed(exchanges, 1)))
      assert.deepStrictEqual(again.run, recorded.run)
      assert.strictEqual(again.seen.at(-1), "completed")
      // the recorded run took 300 ms, and its replay takes as long
      assert.isAtLeast(Duration.toMillis(took), 290)
      const fast = yield* follow(direct, yield* replayed(exchanges, 1000))
      assert.deepStrictEqual(fast.run, recorded.run)
    })
  )

  it.live("refuses a request without a key, and reports requests that were not recorded", () =>
    Effect.gen(function* () {
      const http = yield* client
      const address = yield* replayed([], 1)
      const keyless = yield* ask(http, "GET", `${address}/api/v4/runs/7`, undefined, { [apiKeyHeader]: "" })
      assert.deepStrictEqual([keyless.status, keyless.json], [401, { detail: "X-Service-API-Key is missing" }])
      const unknown = yield* ask(http, "GET", `${address}/api/v4/runs/7`)
      assert.deepStrictEqual([unknown.status, unknown.json], [501, { detail: "GET /api/v4/runs/7 was not recorded" }])
      const elsewhere = yield* ask(http, "GET", `${address}/health`)
      assert.strictEqual(elsewhere.status, 404)
    })
  )

  it.live("returns 502 with the reason to an app whose service doesn't respond", () =>
    Effect.gen(function* () {
      const { exchanges, http } = yield* recording()
      const proxy = yield* served(ProxyApp.make(http, "http://127.0.0.1:9"))
      const answer = yield* ask(yield* client, "POST", `${proxy}/api/v4/runs`, { task: "Buy a mug" })
      assert.strictEqual(answer.status, 502)
      assert.match(answer.json.detail, /^http:\/\/127\.0\.0\.1:9 gave no answer: /u)
      assert.deepStrictEqual(exchanges, [])
    })
  )
})
