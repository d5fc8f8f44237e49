import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Decimal from "../src/domain/Decimal.ts"
import { isTerminal, type TurnEvent } from "../src/domain/Turn.ts"
import { Engine } from "../src/Engine.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { Agent, type Attempt, type StreamingAgent } from "../src/ports/Agent.ts"
import { IdSource } from "../src/ports/IdSource.ts"
import { NodeId } from "../src/ports/NodeId.ts"
import { Conflict, type Step, Store, StoreUnavailable } from "../src/ports/Store.ts"
import * as SharedWork from "../src/SharedWork.ts"
import * as ports from "./ports.ts"

const upTo = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))

/** What a client or the world does to two nodes over one store, and how long it is until the next thing happens. */
const Happening = Schema.Struct({
  does: Schema.Literals([
    "create",
    "create",
    "repeat",
    "queue",
    "queue",
    "interrupt",
    "cancel",
    "stop",
    "kill",
    "freeze",
    "thaw",
    "close",
    "conflict",
    "refused",
    "lost",
    "unsent"
  ]),
  node: upTo(1),
  which: upTo(4),
  pause_ms: upTo(9000)
})

/** What becomes of a commit: refused though nothing was changed, not carried out, or carried out and not answered. */
type Fault = "conflict" | "refused" | "lost" | "unsent"

interface Node {
  readonly name: string
  readonly engine: Engine["Service"]
  readonly close: Effect.Effect<void>
  dead: boolean
  /** Opens when a frozen machine wakes up. */
  awake: Deferred.Deferred<void> | undefined
}

/** An acknowledged create: its turn, and the key that it had. */
interface Acknowledged {
  readonly key: string
  readonly turnId: string
  readonly sessionId: string
}

const happen = Effect.fnUntraced(function* (happenings: ReadonlyArray<typeof Happening.Type>) {
  const store = yield* Store
  const wrong: Array<string> = []
  const faults: Array<Fault> = []
  const acknowledged: Array<Acknowledged> = []
  /** Which paid steps were carried out, by turn. */
  const paid = new Map<string, Array<string>>()
  let keys = 0
  let count = 0
  let starts = 0
  let commits = 0

  const ids = Layer.succeed(IdSource, { next: (kind) => Effect.sync(() => `${kind}-${++count}`) })

  const pay = (attempt: Attempt, turnId: string, node: string, step: string) =>
    Effect.andThen(
      attempt.step({ summary: step, address: null, picture: null }),
      Effect.sync(() => void paid.set(turnId, [...(paid.get(turnId) ?? []), `${step} by ${node}`]))
    )

  /** An agent that pays twice, 2 seconds apart. */
  const agentOf = (name: string): StreamingAgent => ({
    model: "m",
    version: "1",
    perform: (turn, attempt) =>
      Stream.make<[TurnEvent]>({ _tag: "Started" }).pipe(
        Stream.concat(
          Stream.fromEffectDrain(
            Effect.gen(function* () {
              yield* pay(attempt, turn.id, name, "first")
              yield* attempt.used({ cost: "0.1" })
              yield* Effect.sleep("2 seconds")
              yield* pay(attempt, turn.id, name, "second")
              yield* attempt.used({ cost: "0.2" })
              yield* Effect.sleep("1 second")
            })
          )
        ),
        Stream.concat(Stream.make<[TurnEvent]>({ _tag: "Completed", report: { output: name } }))
      )
  })

  /** What every commit has to respect, whichever node makes it. */
  const checked = (step: Step) =>
    Effect.gen(function* () {
      const before = step.session === undefined ? Option.none() : yield* store.session(step.session.id)
      const turnsBefore = yield* Effect.forEach(step.turns ?? [], ({ id }) => store.turn(id))
      yield* store.commit(step)
      const was = Option.getOrUndefined(before)?.lease ?? null
      const is = step.session?.lease ?? null
      if (was !== null && is !== null && is.token < was.token) wrong.push(`a lease of ${step.session?.id} went back`)
      for (const [index, turn] of (step.turns ?? []).entries()) {
        const known = Option.getOrUndefined(turnsBefore[index] ?? Option.none())
        if (known === undefined) continue
        if (isTerminal(known.status) && known.status !== turn.status) wrong.push(`${turn.id} changed its end`)
        if (known.cost !== null && Decimal.isMore(known.cost, turn.cost ?? "0")) wrong.push(`${turn.id} got cheaper`)
      }
    })

  const unavailable = (applied: "no" | "unknown") => new StoreUnavailable({ applied, cause: "chaos" })

  const storeOf = (node: () => Node | undefined): Store["Service"] => {
    const gate = <A, E>(done: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const { awake, dead } = node() ?? { awake: undefined, dead: false }
        if (dead) return Effect.never
        return awake === undefined ? done : Effect.andThen(Deferred.await(awake), gate(done))
      })
    const faulty = (step: Step) =>
      Effect.suspend(() => {
        const fault = faults.shift()
        if (fault === "conflict" && step.session !== undefined)
          return Effect.fail(new Conflict({ id: step.session.id }))
        if (fault === "refused") return Effect.fail(unavailable("no"))
        if (fault === "unsent") return Effect.fail(unavailable("unknown"))
        return fault === "lost" ? Effect.andThen(checked(step), Effect.fail(unavailable("unknown"))) : checked(step)
      })
    return {
      ...store,
      // every third takes a while, so that others come in between
      commit: (step) => gate(Effect.andThen(++commits % 3 === 0 ? Effect.sleep(1) : Effect.void, faulty(step))),
      session: (id) => gate(store.session(id)),
      sessionState: (id) => gate(store.sessionState(id)),
      turn: (id) => gate(store.turn(id)),
      turnsOf: (id) => gate(store.turnsOf(id)),
      idempotencyRecord: (key) => gate(store.idempotencyRecord(key)),
      isLost: (name) => gate(store.isLost(name)),
      renew: (name, ttl_ms) => gate(store.renew(name, ttl_ms)),
      leave: (name) => gate(store.leave(name)),
      abandoned: (limit) => gate(store.abandoned(limit))
    }
  }

  const start = Effect.fnUntraced(function* () {
    const name = `n${++starts}`
    const scope = yield* Scope.make()
    let node: Node | undefined
    const layer = Engine.layerOf.pipe(
      Layer.provide(SharedWork.layer({ lifetime: "10 seconds", every: "2 seconds" })),
      Layer.provide([
        Layer.succeed(Agent, agentOf(name)),
        ports.browsers,
        ids,
        Layer.succeed(NodeId, name),
        Layer.sync(Store, () => storeOf(() => node)),
        Logger.layer([])
      ]),
      Layer.fresh
    )
    const engine = Context.get(yield* Layer.buildWithScope(layer, scope), Engine)
    node = { name, engine, close: Scope.close(scope, Exit.void), dead: false, awake: undefined }
    return node
  })

  const nodes: [Node, Node] = [yield* start(), yield* start()]

  const acknowledge = (key: string, turn: { readonly id: string; readonly sessionId: string }) => {
    const known = acknowledged.find((each) => each.key === key)
    if (known !== undefined && known.turnId !== turn.id) wrong.push(`key ${key} made ${known.turnId} and ${turn.id}`)
    if (known === undefined) acknowledged.push({ key, turnId: turn.id, sessionId: turn.sessionId })
  }

  const create = (node: Node, key: string) =>
    Effect.map(
      node.engine.createSession({ task: key, modelParams: null, thinkingLevel: null }, { key, body: key }),
      ({ turn }) => acknowledge(key, turn)
    )

  const act = Effect.fnUntraced(function* ({ does, node: at, which }: typeof Happening.Type) {
    const node = nodes[at === 0 ? 0 : 1]
    const known = acknowledged[acknowledged.length - 1 - (which % Math.max(1, acknowledged.length))]
    switch (does) {
      case "create":
        return yield* create(node, `k${++keys}`)
      case "repeat":
        return yield* create(node, `k${Math.max(1, keys - which)}`)
      case "queue":
      case "interrupt": {
        const key = `m${++keys}`
        const message = { sessionId: known?.sessionId ?? "", text: key, interrupt: does === "interrupt" }
        return acknowledge(key, (yield* node.engine.queue(message, { key, body: key })).turn)
      }
      case "cancel":
        return yield* node.engine.cancelTurn(known?.turnId ?? "")
      case "stop":
        return which === 0 ? yield* node.engine.stopSession(known?.sessionId ?? "") : undefined
      case "kill":
        node.dead = true
        return void (nodes[at === 0 ? 0 : 1] = yield* start())
      case "close":
        nodes[at === 0 ? 0 : 1] = yield* start()
        return yield* node.close
      case "freeze":
        return void (node.awake ??= yield* Deferred.make<void>())
      case "thaw": {
        const { awake } = node
        node.awake = undefined
        return awake === undefined ? undefined : yield* Deferred.succeed(awake, undefined)
      }
      default:
        return void faults.push(does)
    }
  })

  for (const happening of happenings) {
    yield* Effect.forkDetach(Effect.ignore(act(happening)), { startImmediately: true })
    yield* TestClock.adjust(happening.pause_ms)
  }
  // the world calms down: all machines wake up, and one that is new is there
  faults.length = 0
  for (const node of nodes) {
    const { awake } = node
    node.awake = undefined
    if (awake !== undefined) yield* Deferred.succeed(awake, undefined)
  }
  yield* start()
  yield* TestClock.adjust("3 minutes")

  assert.deepStrictEqual(wrong, [])
  assert.deepStrictEqual((yield* store.unfinished(100)).sessions, [])
  for (const { key, turnId } of acknowledged) {
    const turn = Option.getOrThrow(yield* store.turn(turnId))
    assert.isTrue(isTerminal(turn.status), `${key} is ${turn.status}`)
    assert.strictEqual(turn.status === "failed", turn.error !== null)
    const steps = paid.get(turnId) ?? []
    // paid by one node, each step once, and noted before
    assert.strictEqual(new Set(steps.map((step) => step.split(" ")[0])).size, steps.length)
    assert.isAtMost(new Set(steps.map((step) => step.split(" ").at(-1))).size, 1)
    assert.isAtLeast((yield* store.stepsOf(turnId)).length, steps.length)
    if (turn.status === "completed") assert.deepStrictEqual([steps.length, turn.cost], [2, "0.2"])
  }
  for (const { sessionId } of acknowledged) {
    const begun = (yield* store.turnsOf(sessionId)).filter((turn) => turn.startedAt_ms !== null)
    const inTurn = begun.filter(({ ahead }) => !ahead).map(({ startedAt_ms }) => startedAt_ms ?? 0)
    assert.deepStrictEqual(
      inTurn,
      inTurn.toSorted((left, right) => left - right)
    )
  }
})

const at = (does: (typeof Happening.Type)["does"], pause_ms = 0, node = 0): typeof Happening.Type => ({
  does,
  node,
  which: 0,
  pause_ms
})

/** What once went wrong, in the fewest happenings. */
const corpus: Readonly<Record<string, ReadonlyArray<typeof Happening.Type>>> = {
  "a turn that another node cancelled is let go when its agent begins a step": [
    at("stop", 506),
    at("create", 1494),
    at("interrupt", 0, 1),
    at("queue"),
    at("queue")
  ],
  "a node finds out that it took a turn when the answer to that was lost": [
    at("create", 3000),
    at("lost"),
    at("lost"),
    at("interrupt"),
    at("conflict")
  ],
  "a node lets go of a cancelled turn again when the store did not carry that out": [
    at("create", 500),
    at("lost"),
    at("unsent"),
    at("cancel", 5000, 1)
  ]
}

describe("two nodes over one store", () => {
  for (const [title, happenings] of Object.entries(corpus)) {
    it.effect(title, () => happen(happenings).pipe(Effect.provide(MemoryStore.layer, { local: true })))
  }

  it.effect.prop(
    "killed, frozen, closed, and with commits that are refused or lost: nothing is lost, paid twice or left undone",
    [Schema.Array(Happening).check(Schema.isMinLength(5), Schema.isMaxLength(40))],
    ([happenings]) => happen(happenings).pipe(Effect.provide(MemoryStore.layer, { local: true })),
    { arbitrary: { runs: 60, seed: 1 } }
  )
})
