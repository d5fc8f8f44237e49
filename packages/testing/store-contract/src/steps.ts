import { assert } from "@effect/vitest"
import {
  Browser,
  Decide,
  type IdempotencyRecord,
  type Node,
  type Step,
  Store,
  type StoreUnavailable,
  Turn
} from "@webagent/engine"
import { turn } from "@webagent/test-fixtures/Records"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Creation from "./Creation.ts"

/** A test over a store of its own that starts empty. */
export type StoreTest = (title: string, body: () => Effect.gen.Return<unknown, unknown, Store>) => void

export const day_ms = 86_400_000

/** A turn to queue. */
export const newTurn = (id: string, sessionId: string): Turn.Turn =>
  Turn.make({ ...turn, id, sessionId, owner: "owner" })

export const stepOf = ({ events, modelCalls, session, turnSteps, turns }: Decide.Decision) => ({
  session,
  turns,
  turnSteps,
  modelCalls,
  events
})

/** A session `s<name>` with its turn `t<name>`. */
export const creation = (name: string, createdAt_ms = 0) =>
  Creation.creation(name, {
    task: `task of t${name}`,
    modelParams: { deep: [1, { a: null }] },
    createdAt_ms,
    owner: "owner"
  })

export const keyed = (key: string, createdAt_ms = 0, id = `b-${key}`): IdempotencyRecord => ({
  key,
  body: "body",
  createdAt_ms,
  made: { _tag: "Browser", browser: Browser.make({ id, proxyCountryCode: null, startedAt_ms: createdAt_ms }) }
})

export const browserStep = (browser: Browser.Browser): Step => ({ browser, events: [] })

/** Returns the refusal of a commit; `carried out` if it was accepted. */
export const refusal = (step: Step) =>
  Effect.map(Effect.result(Store.use((store) => store.commit(step))), (committed) =>
    Result.isFailure(committed) ? committed.failure._tag : "carried out"
  )

/** Carries a command out, as an engine does. */
export const change = Effect.fnUntraced(function* (sessionId: string, command: Decide.Command, at_ms = 0) {
  const store = yield* Store
  for (;;) {
    const state = Option.getOrThrow(yield* store.sessionState(sessionId))
    const decision = Result.getOrThrow(Decide.decide(state, command, at_ms))
    const committed = yield* Effect.result(store.commit(stepOf(decision)))
    if (Result.isSuccess(committed)) return decision
    assert.strictEqual(committed.failure._tag, "Conflict")
  }
})

export const commit = (step: Step) => Store.use((store) => store.commit(step))

/** Ends the only turn of a session, which then stops. */
export const finish = Effect.fnUntraced(function* (name: string, at_ms: number) {
  const store = yield* Store
  const taken = yield* change(`s${name}`, { _tag: "Take", node: "n" }, at_ms)
  const token = taken.session.revision
  const settings = { keepAlive: false }
  const report = { _tag: "Report", token, leaves: true, goesOn: true } as const
  yield* change(`s${name}`, { ...report, event: { _tag: "Started", settings } }, at_ms)
  const step = { summary: "look", address: null, picture: null }
  const call = { at_ms, duration_ms: 1, model: "m", tokens: null, cost: null, step: 1, failure: null }
  yield* change(`s${name}`, { _tag: "Progress", token, progress: { call, step } }, at_ms)
  yield* change(`s${name}`, { ...report, event: { _tag: "Completed", report: { output: { found: [name] } } } }, at_ms)
  return yield* store.session(`s${name}`)
})

/** Makes the record of a node. */
export const node = (id: string, told: Partial<Node> = {}): Node => ({
  id,
  name: id,
  address: null,
  room: 0,
  draining: false,
  startedAt_ms: 0,
  ...told
})

export const untilLost = (node: string): Effect.Effect<void, StoreUnavailable, Store> =>
  Effect.flatMap(
    Store.use((store) => store.isLost(node)),
    (lost) => (lost ? Effect.void : Effect.andThen(Effect.sleep("2 millis"), untilLost(node)))
  )
