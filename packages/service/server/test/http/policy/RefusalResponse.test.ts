import { assert, it } from "@effect/vitest"
import { MemoryStore, Store, StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { send } from "../send.ts"
import * as served from "../served.ts"

interface State {
  away: "no" | "unknown" | null
  /** How often the store was asked while it was away. */
  asked: number
}

/** A memory store that can be away: for everything before it is asked, or for the answers to its commits alone. */
const failing = (state: State) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => {
      const away = new StoreUnavailable({ applied: "no", cause: "a test" })
      const gone = Effect.suspend(() => {
        if (state.away !== "no") return Effect.void
        state.asked++
        return Effect.fail(away)
      })
      return {
        ...store,
        turn: (id: string) => Effect.andThen(gone, store.turn(id)),
        session: (id: string) => Effect.andThen(gone, store.session(id)),
        commit: (step) =>
          Effect.tap(Effect.andThen(gone, store.commit(step)), () =>
            state.away === "unknown" && step.key !== undefined
              ? Effect.fail(new StoreUnavailable({ applied: "unknown", cause: "a test" }))
              : Effect.void
          )
      }
    })
  ).pipe(Layer.provide(MemoryStore.layer))

const create = (key: string) =>
  send("POST", "/api/v4/runs", { body: { task: "one" }, headers: { "idempotency-key": key } })

it.live("returns 503 with Retry-After for reads and creates of all versions while the store is unavailable", () => {
  const state: State = { away: null, asked: 0 }
  return Effect.gen(function* () {
    const id = String((yield* create("a")).body["id"])
    state.away = "no"
    for (const answer of [
      yield* send("GET", `/api/v4/runs/${id}`),
      yield* send("GET", `/api/v4/runs/${id}/status`),
      yield* send("GET", `/api/v3/sessions/${id}`),
      yield* send("GET", `/api/v2/sessions/${id}`),
      yield* send("POST", "/api/v4/runs", { body: { task: "two" } })
    ]) {
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers.get("retry-after"), "1")
      assert.strictEqual(
        String(answer.body["detail"]),
        "The service cannot reach its store. Nothing was done: try again"
      )
    }
    // one that does not answer takes seconds each time
    assert.strictEqual(state.asked, 5)
  }).pipe(Effect.provide(served.layerOver(failing(state))))
})

it.live("carries out a create once if the store's response is lost, and its key finds the result", () => {
  const state: State = { away: "unknown", asked: 0 }
  return Effect.gen(function* () {
    const lost = yield* create("a")
    assert.strictEqual(lost.status, 503)
    assert.match(String(lost.body["detail"]), /same Idempotency-Key/u)
    state.away = null
    const found = yield* create("a")
    assert.strictEqual(found.status, 201)
    assert.strictEqual(found.headers.get("idempotency-replayed"), "true")
  }).pipe(Effect.provide(served.layerOver(failing(state))))
})
