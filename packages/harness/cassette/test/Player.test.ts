import { assert, describe, it } from "@effect/vitest"
import type { Exchange } from "../src/Cassette.ts"
import * as Player from "../src/Player.ts"

const header = { cassette: 1, startedAt: "2026-11-22T21:00:00.000Z", target: "https://service.test" } as const
const runs = "/api/v4/runs"

const exchange = (
  at_ms: number,
  method: string,
  path: string,
  status: number,
  json: object,
  sent?: object
): Exchange => ({
  at_ms,
  took_ms: 10,
  method,
  path,
  status,
  headers: {},
  ...(sent === undefined ? {} : { sent: { json: sent as never } }),
  got: { json: json as never }
})

/** Two runs of one task, polled after 1 and 60 seconds; the second fails. */
const exchanges = [
  exchange(0, "POST", runs, 429, { detail: "wait" }, { task: "buy", modelParams: { b: 1, a: 2 } }),
  exchange(1000, "POST", runs, 201, { id: "r1", status: "queued" }, { task: "buy", modelParams: { b: 1, a: 2 } }),
  exchange(2000, "POST", runs, 201, { id: "r2", status: "queued" }, { task: "buy", modelParams: { b: 1, a: 2 } }),
  exchange(2010, "GET", `${runs}/r1/status`, 200, { status: "running" }),
  exchange(3010, "GET", `${runs}/r2/status`, 200, { status: "running" }),
  exchange(61_010, "GET", `${runs}/r1/status`, 200, { status: "completed" }),
  exchange(62_010, "GET", `${runs}/r2/status`, 200, { status: "failed" }),
  exchange(70_000, "POST", "/api/v4/browsers", 201, { id: "b1", status: "active" }, {}),
  exchange(70_100, "GET", "/api/v4/browsers/b1", 200, { id: "b1", status: "active" }),
  exchange(80_000, "PATCH", "/api/v4/browsers/b1", 200, { id: "b1" }, { action: "stop" }),
  exchange(80_100, "GET", "/api/v4/browsers/b1", 200, { id: "b1", status: "stopped" })
]

const play = (match?: Player.Match) => {
  const player = Player.make({ ...header, exchanges }, match)
  const ask = (method: string, path: string, now_ms: number, sent?: object, idempotencyKey?: string) => {
    const found = player.answer(
      { method, path, sent: sent === undefined ? undefined : { json: sent as never }, idempotencyKey },
      now_ms
    )
    const answer: object = "exchange" in found ? { http: found.exchange.status, ...jsonOf(found.exchange) } : found
    return answer
  }
  return ask
}

const jsonOf = ({ got }: Exchange): object => (got !== undefined && "json" in got ? (got.json as object) : {})

const buy = { modelParams: { a: 2, b: 1 }, task: "buy" }

describe("Player", () => {
  it("returns the recorded responses for equal creates in their order, whatever the order of fields", () => {
    const ask = play()
    assert.deepInclude(ask("POST", runs, 0, buy), { http: 429 })
    assert.deepInclude(ask("POST", runs, 10, buy), { id: "r1" })
    assert.deepInclude(ask("POST", runs, 20, buy), { id: "r2" })
    assert.deepStrictEqual(ask("POST", runs, 30, buy), {
      status: 501,
      detail: "POST /api/v4/runs was recorded 3 times and is used up"
    })
  })

  it("responds to a read as the service did at that time after the create", () => {
    const ask = play()
    ask("POST", runs, 0, buy)
    ask("POST", runs, 5000, buy)
    // answered at 5010: the first poll was answered 1010 ms after that, the second 60,010 ms
    assert.include(ask("GET", `${runs}/r1/status`, 5020), { status: "running" })
    assert.include(ask("GET", `${runs}/r1/status`, 65_019), { status: "running" })
    assert.include(ask("GET", `${runs}/r1/status`, 65_020), { status: "completed" })
    assert.include(ask("GET", `${runs}/r1/status`, 999_999), { status: "completed" })
  })

  it("keeps the clocks of two runs separate", () => {
    const ask = play()
    for (const now_ms of [0, 0, 100_000]) ask("POST", runs, now_ms, buy)
    assert.include(ask("GET", `${runs}/r1/status`, 100_100), { status: "completed" })
    assert.include(ask("GET", `${runs}/r2/status`, 100_100), { status: "running" })
    assert.include(ask("GET", `${runs}/r2/status`, 160_020), { status: "failed" })
  })

  it("starts again after each change of the resource", () => {
    const ask = play()
    ask("POST", "/api/v4/browsers", 0, {})
    assert.include(ask("GET", "/api/v4/browsers/b1", 50_000), { status: "active" })
    ask("PATCH", "/api/v4/browsers/b1", 60_000, { action: "stop" })
    assert.include(ask("GET", "/api/v4/browsers/b1", 60_011), { status: "stopped" })
  })

  it("returns the same response for a create that is repeated with its key", () => {
    const ask = play()
    assert.deepInclude(ask("POST", runs, 0, buy, "k1"), { http: 429 })
    assert.deepInclude(ask("POST", runs, 10, buy, "k1"), { id: "r1" })
    assert.deepInclude(ask("POST", runs, 20, buy, "k1"), { id: "r1" })
    assert.deepInclude(ask("POST", runs, 30, buy, "k2"), { id: "r2" })
  })

  it("says why there is no response", () => {
    const ask = play()
    assert.deepStrictEqual(ask("POST", runs, 0, { task: "sell" }), {
      status: 501,
      detail: "POST /api/v4/runs was recorded with 3 other bodies; to ignore bodies use --match path"
    })
    assert.deepStrictEqual(ask("POST", "/api/v4/browsers", 0, { proxyCountryCode: "no" }), {
      status: 501,
      detail: "POST /api/v4/browsers was recorded with another body; to ignore bodies use --match path"
    })
    assert.deepStrictEqual(ask("GET", `${runs}/r9`, 0), { status: 501, detail: "GET /api/v4/runs/r9 was not recorded" })
    assert.deepStrictEqual(ask("GET", `${runs}/r1/status`, 0), {
      status: 404,
      detail: "/api/v4/runs/r1/status was recorded, but the request that made it has not been replayed"
    })
  })

  it("ignores bodies when asked to", () => {
    const ask = play("path")
    assert.deepInclude(ask("POST", "/api/v4/browsers", 0, { proxyCountryCode: "no" }), { id: "b1" })
    assert.deepStrictEqual(ask("POST", "/api/v4/browsers", 0, {}), {
      status: 501,
      detail: "POST /api/v4/browsers was recorded once and is used up"
    })
  })
})
