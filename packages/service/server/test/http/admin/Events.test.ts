import { assert, describe, it } from "@effect/vitest"
import { AdminClient, type PastEvent } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Stream from "effect/Stream"
import { Server } from "../../../src/Server.ts"
import { ask, layerAdmin } from "./served.ts"

const test = (title: string, body: Effect.Effect<unknown, unknown, Server>) =>
  it.live(title, () =>
    Effect.asVoid(body).pipe(
      Effect.provide(
        layerAdmin({
          perform: ({ task }, { browser, step, stepEnded, used }) =>
            Stream.concat(
              Stream.make({ _tag: "Started" } as const),
              Stream.fromEffect(
                Effect.gen(function* () {
                  yield* Effect.scoped(browser)
                  yield* step({ summary: "Looks", address: "https://shop.example/", picture: null })
                  const call = {
                    at_ms: 1,
                    duration_ms: 2,
                    model: "m",
                    tokens: { input: 3, output: 4 },
                    cost: "0.1",
                    step: 1,
                    failure: null
                  }
                  yield* used({ cost: "0.1" }, call)
                  yield* stepEnded(null)
                  return { _tag: "Completed", report: { output: task } } as const
                })
              )
            )
        })
      )
    )
  )

/** Starts a stream of changes of a key, and returns what came in 0.8 seconds. */
const changes = Effect.fnUntraced(function* (key: string, query: { readonly run?: string }, after?: string) {
  const { address } = yield* Server
  const admin = yield* Effect.provide(
    AdminClient.make({ baseUrl: address, apiKey: `wak_${key}` }),
    FetchHttpClient.layer
  )
  const stream = yield* admin.events.stream({
    query,
    headers: after === undefined ? {} : { "last-event-id": after }
  })
  return yield* Stream.runCollect(Stream.interruptWhen(stream, Effect.sleep("800 millis")))
})

const begin = (key: string, task: string) =>
  Effect.map(ask(key, "POST", "/runs", { task }), ({ body }) => String(body["id"]))

describe("events in the admin API", () => {
  test(
    "are sent for the key's records, or for all, each with the record and a position",
    Effect.gen(function* () {
      const own = yield* Effect.forkChild(changes("shop", {}))
      const all = yield* Effect.forkChild(changes("root", {}))
      // the first request of a server takes longer
      yield* Effect.sleep("300 millis")
      yield* begin("blog", "Read")
      const id = yield* begin("shop", "Find")
      const mine = yield* Fiber.join(own)
      assert.strictEqual(mine[0]?.event, "ping")
      const runs = mine.flatMap((change) => (change.event === "run" ? [change.data] : []))
      assert.deepStrictEqual([...new Set(runs.map((run) => run.id))], [id])
      assert.deepInclude(runs.at(-1), { status: "completed", owner: "shop", result: "Find", totalCostUsd: "0.1" })
      assert.includeMembers(
        mine.map(({ event }) => event),
        ["session", "browser", "run"]
      )
      assert.notInclude(
        mine.map(({ event }) => event),
        "step"
      )
      const positions = mine.map((change) => Number(change.id))
      assert.deepStrictEqual(
        positions,
        positions.toSorted((left, right) => left - right)
      )
      const others = (yield* Fiber.join(all)).flatMap((change) => (change.event === "run" ? [change.data.owner] : []))
      assert.include(others, "blog")
    })
  )

  test(
    "continue after Last-Event-ID, with the steps and model calls of one run",
    Effect.gen(function* () {
      const id = yield* begin("shop", "Find")
      yield* begin("shop", "Other")
      const missed = yield* changes("shop", { run: id }, "0")
      const kinds = missed.map(({ event }) => event)
      assert.includeMembers(kinds, ["step", "modelCall", "run"])
      for (const change of missed) {
        if (change.event === "step" || change.event === "modelCall") assert.strictEqual(change.data.runId, id)
      }
      const kindsOfForeign = (yield* changesOfForeign).map(({ event }) => event)
      assert.deepStrictEqual(kindsOfForeign, ["ping", "reset"])
      const foreign = yield* changes("blog", { run: id }, "0")
      assert.deepStrictEqual([...new Set(foreign.map(({ event }) => event))], ["ping"])
    })
  )
})

interface PastPage {
  readonly rows: ReadonlyArray<PastEvent>
  readonly next: string | null
}

const past = (key: string, query = "") =>
  Effect.map(ask(key, "GET", `/events/log${query}`), ({ body }) => body as object as PastPage)

describe("the event log", () => {
  test(
    "has every stored change newest first and once, whatever the page size, for keys that may see it",
    Effect.gen(function* () {
      const id = yield* begin("shop", "Find")
      yield* begin("blog", "Read")
      yield* Effect.sleep("400 millis")
      const walk = Effect.fnUntraced(function* (key: string, query: string) {
        const rows: Array<PastEvent> = []
        for (let cursor: string | null = ""; cursor !== null;) {
          const page: PastPage = yield* past(key, `?${query}${cursor === "" ? "" : `&cursor=${cursor}`}`)
          rows.push(...page.rows)
          cursor = page.next
        }
        return rows
      })
      const all = yield* walk("root", "limit=3")
      const positions = all.map(({ position }) => Number(position))
      assert.deepStrictEqual(
        positions,
        Array.from(positions, (_, index) => positions.length - index)
      )
      assert.deepStrictEqual(
        all
          .filter(({ kind }) => kind === "run")
          .map(({ owner, from, to }) => `${owner} ${from} ${to}`)
          .toSorted(),
        ["blog", "shop"].flatMap((owner) =>
          ["dispatching running", "null queued", "queued dispatching", "running completed"].map(
            (move) => `${owner} ${move}`
          )
        )
      )
      const own = yield* walk("shop", "limit=2")
      assert.deepStrictEqual(
        own,
        all.filter(({ owner }) => owner === "shop")
      )
      assert.deepStrictEqual(yield* walk("root", "key=shop"), own)
      const ofRun = own.filter(({ id: subject }) => subject === id)
      assert.deepStrictEqual(yield* walk("shop", `run=${id.toUpperCase()}&limit=2`), ofRun)
      assert.includeMembers(
        ofRun.map(({ kind, step, to }) => `${kind} ${step} ${to}`),
        ["step 1 succeeded", "run null completed"]
      )
      assert.deepStrictEqual(yield* walk("blog", `run=${id}`), [])
      assert.deepStrictEqual(
        yield* walk("root", "kind=step&limit=1"),
        all.filter(({ kind }) => kind === "step")
      )
      assert.deepStrictEqual(yield* walk("root", "before=4&limit=2"), all.slice(-3))
      assert.deepStrictEqual(yield* walk("root", "before=999999"), all)
    })
  )

  test(
    "refuses cursors of other filters and invalid positions",
    Effect.gen(function* () {
      yield* begin("shop", "Find")
      const { next } = yield* past("shop", "?limit=1")
      for (const query of [`?kind=run&cursor=${next}`, "?cursor=x"])
        assert.strictEqual((yield* ask("shop", "GET", `/events/log${query}`)).status, 400)
      assert.strictEqual((yield* ask("root", "GET", `/events/log?cursor=${next}`)).status, 400)
      for (const query of ["?before=0", "?before=1e3", "?before=-1", "?kind=ping", "?run=%00"])
        assert.strictEqual((yield* ask("shop", "GET", `/events/log${query}`)).status, 422)
    })
  )
})

/** The first change for a position that this server never gave. */
const changesOfForeign = Effect.gen(function* () {
  const { address } = yield* Server
  const admin = yield* Effect.provide(AdminClient.make({ baseUrl: address, apiKey: "wak_shop" }), FetchHttpClient.layer)
  const stream = yield* admin.events.stream({ query: {}, headers: { "last-event-id": "999999999999" } })
  return yield* Stream.runCollect(Stream.take(stream, 2))
})
