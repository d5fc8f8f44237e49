import { assert, describe, it } from "@effect/vitest"
import { Ledger, type LedgerEntry } from "@webagent/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { Runs } from "../src/index.ts"
import { answering, elapse, json } from "./virtual.ts"

const run = { id: "r-1", status: "completed", result: 42 } as const

/** A service whose run is over, and that answers reads of the full run with `reads`, the last for ever. */
const service = (...reads: ReadonlyArray<Effect.Effect<Response>>) => {
  let count = 0
  return answering((_, path) =>
    path.endsWith("/status")
      ? json(200, { status: "completed" })
      : (reads[Math.min(count++, reads.length - 1)] ?? json(200, run))
  )
}

describe("a finished run", () => {
  it.effect("is read once", () => {
    const { layer, requests } = service()
    return Effect.gen(function* () {
      const runs = yield* Runs
      assert.deepStrictEqual(yield* runs.untilTerminal("r-1"), run)
      assert.deepStrictEqual(requests(), ["GET /runs/r-1/status", "GET /runs/r-1"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is read again if the full run is behind its status", () => {
    const behind = json(200, { id: "r-1", status: "running", result: null })
    const { layer, requests } = service(behind, behind, behind, json(200, run))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.untilTerminal("r-1"))
      yield* elapse("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
      assert.strictEqual(requests().length, 5)
    }).pipe(Effect.provide(layer))
  })

  it.effect("survives an outage that outlasts a call's retries, even at the deadline", () => {
    const { layer } = service(...Array.from({ length: 12 }, () => json(503, {})), json(200, run))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.untilTerminal("r-1", { timeout: "1 second" }))
      yield* elapse("40 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends the wait with its last status if it can't be read", () => {
    const { layer } = service(json(503, {}))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(Effect.flip(runs.untilTerminal("r-1", { timeout: "1 second" })))
      yield* elapse("2 minutes")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag === "WaitTimeoutError" && error.lastStatus, "completed")
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends the wait at once if the service doesn't know it any more", () => {
    const { layer } = service(json(404, { detail: "No run r-1" }))
    return Effect.gen(function* () {
      const runs = yield* Runs
      assert.strictEqual((yield* Effect.flip(runs.untilTerminal("r-1")))._tag, "RunNotFoundError")
    }).pipe(Effect.provide(layer))
  })

  it.effect("survives a redirect, which isn't followed", () => {
    const { layer, requests } = service(json(302, {}), json(200, run))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.untilTerminal("r-1"))
      yield* elapse("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
      assert.strictEqual(requests().length, 3)
    }).pipe(Effect.provide(layer))
  })
})

describe("a run that was just created", () => {
  it.effect("counts the attempts of all requests in the grace period as one call", () => {
    let reads = 0
    const { layer, sent } = answering((method) => {
      if (method === "POST") return json(201, { id: "r-1" })
      // some of what is read again is tried again
      return ++reads % 3 === 0 ? json(503, {}) : json(404, { detail: "No run r-1" })
    })
    return Effect.gen(function* () {
      const runs = yield* Runs
      yield* runs.create({ task: "t" })
      const fiber = yield* Effect.forkChild(Effect.flip(runs.status("r-1")))
      yield* elapse("10 seconds")
      const error = yield* Fiber.join(fiber)
      if (error._tag !== "RunNotFoundError" || error.call === undefined) return assert.fail(error.message)
      assert.isAbove(reads, 9)
      assert.strictEqual(error.call.attempts, reads)
      assert.include(error.message, ` (${reads} attempts): `)
      assert.include(error.message, ` Request id ${error.call.requestId}.`)
      const ids = new Set(sent.filter(({ request }) => request.startsWith("GET")).map(({ id }) => id))
      assert.deepStrictEqual(ids, new Set([error.call.requestId]))
    }).pipe(Effect.provide(layer))
  })
})

/** What something in front of the service may answer in its place. */
const oddities: ReadonlyArray<readonly [what: string, status: number, body: string]> = [
  ["a page with 404", 404, "<html>default backend - 404</html>"],
  ["JSON of a gateway with 404", 404, '{"message":"no Route matched"}'],
  ["a page with 403", 403, "<html>just a moment</html>"],
  ["400", 400, "The plain HTTP request was sent to an HTTPS port"],
  ["421", 421, ""],
  ["no body", 200, ""],
  ["JSON without a status", 200, "{}"],
  ["null", 200, "null"],
  ["another object", 200, '{"detail":"warming up"}']
]

const oddly = (status: number, body: string) => Effect.sync(() => new Response(body, { status }))

describe("a wait with unexpected responses", () => {
  /** A service that is odd at the given requests, counted from 1, and whose run ends with its fifth poll. */
  const service = (status: number, body: string, isOdd: (count: number) => boolean) => {
    let count = 0
    let polls = 0
    return answering((method, path) => {
      if (isOdd(++count)) return oddly(status, body)
      if (method === "POST") return json(201, { id: "r-1" })
      if (path.endsWith("/status")) return json(200, { status: ++polls < 5 ? "running" : "completed" })
      return json(200, run)
    })
  }

  for (const [what, status, body] of oddities) {
    it.effect(`continues after ${what}`, () => {
      // the first poll, one in between, and the last read
      const { layer } = service(status, body, (count) => [2, 4, 8].includes(count))
      return Effect.gen(function* () {
        const runs = yield* Runs
        const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }))
        yield* elapse("20 seconds")
        assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
      }).pipe(Effect.provide(layer))
    })

    // an answer without a body may come for as long as one that is cut
    if (body === "" && status === 200) continue

    it.effect(`fails with the last response after a minute of ${what}`, () => {
      const { layer, sent } = service(status, body, (count) => count > 4)
      return Effect.gen(function* () {
        const runs = yield* Runs
        const fiber = yield* Effect.forkChild(Effect.flip(runs.untilTerminal("r-1")))
        yield* elapse("90 seconds")
        const error = yield* Fiber.join(fiber)
        assert.include(error.message, `/runs/r-1/status: status ${status}`)
        assert.strictEqual(error._tag === "TransportError" && "body" in error.reason && error.reason.body, body)
        const heard_ms = sent[3]?.at_ms ?? 0
        assert.approximately((sent.at(-1)?.at_ms ?? 0) - heard_ms, 65_000, 5000)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect.each([
    [404, '{"message":"no Route matched"}'],
    [401, "<html>Sign in</html>"]
  ] as const)("fails after a minute of a gateway's %i, cancels nothing, and warns about the run", ([status, body]) => {
    const { layer } = service(status, body, (count) => count > 4)
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => void warnings.push(String(message)))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const cancelled: Array<string> = []
      const cancel = ({ id }: { readonly id: string }) => Effect.sync(() => cancelled.push(id))
      const fiber = yield* Effect.forkChild(Effect.flip(runs.createAndWait({ task: "t" }, { cancel })))
      yield* elapse("90 seconds")
      assert.include((yield* Fiber.join(fiber)).message, `/runs/r-1/status: status ${status}`)
      assert.isTrue(
        warnings.some((line) => line.includes("run r-1")),
        warnings.join()
      )
      assert.deepStrictEqual(cancelled, [])
    }).pipe(Effect.provide(layer), Effect.provide(Logger.layer([logger])))
  })

  it.effect("fails at once if the service has never responded", () => {
    const { layer, requests } = service(404, "<html>", () => true)
    return Effect.gen(function* () {
      const runs = yield* Runs
      assert.strictEqual((yield* Effect.flip(runs.untilTerminal("r-1")))._tag, "TransportError")
      assert.lengthOf(requests(), 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps the body of a last read that never becomes valid", () => {
    const body = JSON.stringify({ ...run, id: null })
    const { layer } = answering((_, path) =>
      path.endsWith("/status") ? json(200, { status: "completed" }) : oddly(200, body)
    )
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(Effect.flip(runs.untilTerminal("r-1", { timeout: "1 second" })))
      yield* elapse("40 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag === "TransportError" && "body" in error.reason && error.reason.body, body)
    }).pipe(Effect.provide(layer))
  })
})

describe("a wait that is redirected", () => {
  const polls = (...statuses: ReadonlyArray<number>) => {
    let count = 0
    return answering((_, path) =>
      path.endsWith("/status")
        ? json(statuses[count++] ?? 200, { status: count > statuses.length ? "completed" : "running" })
        : json(200, run)
    )
  }

  it.effect("fails at once if the service has never responded, because the address may be wrong", () => {
    const { layer, requests } = polls(302)
    return Effect.gen(function* () {
      const runs = yield* Runs
      const error = yield* Effect.flip(runs.untilTerminal("r-1"))
      assert.match(error.message, /\/api\/v4\/runs\/r-1\/status: status 302.*Redirects are not followed/u)
      assert.strictEqual(requests().length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("continues if the service has responded before", () => {
    const { layer, requests } = polls(200, 302, 200, 307, 302)
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.untilTerminal("r-1"))
      yield* elapse("20 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
      assert.strictEqual(requests().length, 7)
    }).pipe(Effect.provide(layer))
  })
})

describe("a create whose ledger never responds", () => {
  it.effect("isn't sent if the entry before it is late, and a late entry is reverted", () => {
    const { layer, requests } = answering(() => json(201, { id: "r-1" }))
    return Effect.gen(function* () {
      const late = yield* Deferred.make<void>()
      const entries: Array<string> = []
      const write = ({ _tag }: LedgerEntry) =>
        Effect.suspend(() => {
          entries.push(_tag)
          return _tag === "opening" ? Deferred.await(late) : Effect.void
        })
      const runs = yield* Runs
      const ledger = { write, open: Effect.succeed([]) }
      const creating = Effect.provideService(Effect.flip(runs.create({ task: "t" })), Ledger.Current, ledger)
      const fiber = yield* Effect.forkChild(creating)
      yield* elapse("11 seconds")
      assert.match((yield* Fiber.join(fiber)).message, /: not sent, The ledger did not respond within 10s\./u)
      assert.deepStrictEqual([requests().length, entries], [0, ["opening"]])
      yield* Deferred.succeed(late, undefined)
      yield* elapse("1 second")
      assert.deepStrictEqual(entries, ["opening", "refused"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("returns the run after 10 seconds if the entry after it is late, and logs the missing entry", () => {
    const { layer } = answering(() => json(201, { id: "r-1" }))
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const ledger = {
      write: ({ _tag }: LedgerEntry) => (_tag === "opened" ? Effect.never : Effect.void),
      open: Effect.succeed([])
    }
    return Effect.gen(function* () {
      const runs = yield* Runs
      const creating = Effect.provideService(runs.create({ task: "t" }), Ledger.Current, ledger)
      const fiber = yield* Effect.forkChild(creating)
      yield* elapse("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* elapse("2 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).id, "r-1")
      assert.match(lines.join(), /The ledger did not respond within 10s\. The ledger lacks this entry: .*"r-1"/u)
    }).pipe(Effect.provide(layer), Effect.provide(Logger.layer([logger])))
  })
})
