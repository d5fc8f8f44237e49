import { assert, it } from "@effect/vitest"
import { check, scenario, Suite } from "@webagent/scenario"
import { apiKeyHeader, basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import { apiKey, live, runIn } from "./inspected.ts"
import { serveSteps, targetAt } from "./stepService.ts"

/** Where the picture of a step is said to be: one is on another host, the last is too large. */
const pictureOf = (number: number, address: string) =>
  number === 58 ? "https://elsewhere.example/58" : number === 57 ? null : `${address}/pictures/${number}`

const stepOf = (number: number, address: string) => ({
  number,
  beganAt: "2026-11-21T09:12:44.000Z",
  address: number === 1 ? null : "https://shop.example/",
  summary: `types ${apiKey}`,
  ...(number === 59 ? { outcome: "failed", failure: `no field takes ${apiKey}`, durationMs: 12 } : {}),
  pictureUrl: pictureOf(number, address)
})

/** What is answered to a read of the steps of a run; a run that is not here gets no answer. */
const toldAt = (address: string): Readonly<Record<string, readonly [status: number, body: unknown]>> => ({
  seen: [
    200,
    {
      runId: "seen",
      liveUrl: "https://service.example/live/1/token",
      recordingUrl: null,
      steps: Array.from({ length: 60 }, (_, index) => stepOf(index + 1, address))
    }
  ],
  idle: [200, { runId: "idle", liveUrl: null, recordingUrl: null, steps: [] }],
  odd: [200, { steps: "many" }],
  unknown: [404, { detail: "Not Found" }]
})

/** A service that only makes runs, with the id that is their task, and shows their steps. */
const service = Effect.suspend(() => {
  const reads: Array<string> = []
  const keys: Array<unknown> = []
  const served = serveSteps((incoming, { jpeg, json }) => {
    const [, read] = /^\/api\/v4\/runs\/(\w+)\/steps$/u.exec(incoming.url ?? "") ?? []
    const [, picture] = /^\/pictures\/(\d+)$/u.exec(incoming.url ?? "") ?? []
    if (picture !== undefined) {
      keys.push(incoming.headers[apiKeyHeader.toLowerCase()])
      return jpeg(
        picture === "59" ? 404 : 200,
        picture === "60" ? Buffer.alloc(600 * 1024) : Buffer.from(`picture ${picture}`)
      )
    }
    const told = toldAt(`http://${incoming.headers.host}`)
    if (read !== undefined) {
      reads.push(`${read} ${String(incoming.headers[apiKeyHeader.toLowerCase()])}`)
      const known = told[read]
      return known === undefined ? undefined : json(...known)
    }
    // nothing that it made can be read or stopped
    if (incoming.url !== `${basePath.v4}/runs`) return json(404, { detail: "Not Found" })
    return void incoming.setEncoding("utf8").on("data", (body: string) => json(201, { id: JSON.parse(body).task }))
  })
  return Effect.map(served, ({ address }) => ({ address, keys, reads }))
})

const making = (name: string, passes: boolean, runs: ReadonlyArray<string>) =>
  scenario(name, { allows: ["results-never-fetched"] }, function* ({ request }) {
    for (const task of runs) yield* request("v4", { method: "POST", path: "/runs", body: { task } })
    yield* check.equal(passes, true)
  })

it.live("a failed trial has the last steps of its last runs, if the service returns them in time", () =>
  Effect.gen(function* () {
    const { address, keys, reads } = yield* service
    const target = yield* targetAt(address)
    const suite = Suite.make("seen", [
      making("fails", false, ["first", "unknown", "odd", "idle", "silent", "seen"]),
      making("passes", true, ["seen"])
    ])
    const { traceOf, trials } = yield* runIn(target, [suite], { concurrency: 1 })
    const [failed, passed] = trials
    assert.deepStrictEqual([failed?.verdict, failed?.requests, passed?.verdict], ["failed", 6, "passed"])
    assert.notProperty(passed, "agentSteps")
    const [run, ...others] = failed?.agentSteps ?? []
    assert.deepStrictEqual(others, [])
    assert.deepInclude(run, { runId: "seen", liveUrl: "https://service.example/live/1/token", count: 60 })
    assert.deepStrictEqual(
      run?.steps.map(({ number }) => number),
      Array.from({ length: 50 }, (_, index) => index + 11)
    )
    assert.deepInclude(run?.steps.at(-2), { outcome: "failed", failure: "no field takes <key>", durationMs: 12 })
    assert.notInclude(JSON.stringify(failed), apiKey)
    assert.notInclude(JSON.stringify(failed), "pictures/")
    // those of the last ten steps that the service itself has, small enough; the link is enough, without the key
    const { pictures = [] } = yield* traceOf(failed?.trace)
    assert.deepStrictEqual(
      pictures.map(({ jpeg, number }) => `${number} ${Buffer.from(jpeg, "base64").toString()}`),
      [51, 52, 53, 54, 55, 56].map((number) => `${number} picture ${number}`)
    )
    assert.notInclude(JSON.stringify(pictures), apiKey)
    assert.deepStrictEqual([...new Set(keys)], [undefined])
    assert.notProperty(yield* traceOf(passed?.trace), "pictures")
    assert.deepStrictEqual(
      reads.toSorted(),
      ["idle", "odd", "seen", "silent", "unknown"].map((id) => `${id} ${apiKey}`)
    )
  }).pipe(live)
)
