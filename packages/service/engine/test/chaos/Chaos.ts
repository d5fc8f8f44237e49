import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { Session } from "../../src/domain/Session.ts"
import { isTerminal, type Turn, type TurnEvent } from "../../src/domain/Turn.ts"
import { Engine } from "../../src/Engine.ts"
import * as LocalWork from "../../src/LocalWork.ts"
import * as MemoryStore from "../../src/MemoryStore.ts"
import type { Attempt } from "../../src/ports/Agent.ts"
import { BrowserPool } from "../../src/ports/BrowserPool.ts"
import { IdSource } from "../../src/ports/IdSource.ts"
import { NodeId } from "../../src/ports/NodeId.ts"
import { Conflict, type Step, Store, StoreUnavailable } from "../../src/ports/Store.ts"
import * as SharedWork from "../../src/SharedWork.ts"
import { layerStreamingAgent, type StreamingAgent } from "../../src/StreamingAgent.ts"
import { browser } from "../ports.ts"
import * as Walks from "./Walks.ts"
import type { Happening, World } from "./World.ts"

/** What becomes of a commit: refused though nothing was changed, not carried out, or carried out and not answered. */
type Fault = "conflict" | "refused" | "lost" | "unsent"

interface Node {
  readonly name: string
  readonly engine: Engine["Service"]
  readonly close: Effect.Effect<void>
  /** What clients wait for at it: a server that closes takes no more, and lets these end first. */
  readonly requests: Set<Fiber.Fiber<void>>
  closing: boolean
  dead: boolean
  /** Opens when a frozen machine wakes up. */
  awake: Deferred.Deferred<void> | undefined
  /** The commit after which it last woke up. */
  wokeAfter: number
}

/** An acknowledged create: its turn, and the key that it had. */
interface Acknowledged {
  readonly key: string
  readonly turnId: string
  readonly sessionId: string
}

/** Makes a store worse: what a mutant is made of. */
export type Spoil = (store: Store["Service"]) => Store["Service"]

/** For how long the world may take to calm down. */
const patience_ms = 180_000

const unavailable = (applied: "no" | "unknown") => new StoreUnavailable({ applied, cause: "chaos" })

const inOrder = (times: ReadonlyArray<number>) => times.every((time, index) => time >= (times[index - 1] ?? 0))

const liveIn = Effect.fnUntraced(function* ({ happenings, nodes: arrangement }: World) {
  const store = yield* Store
  const wrong: Array<string> = []
  const faults: Array<Fault> = []
  const acknowledged: Array<Acknowledged> = []
  /** The browsers that clients were told of, by their keys. */
  const browsers = new Map<string, string>()
  /** Which paid steps were carried out, by turn. */
  const paid = new Map<string, Array<string>>()
  let keys = 0
  let count = 0
  let starts = 0
  let commits = 0
  /** How many outages of the store are under way. */
  let outages = 0
  const known = new Map<string, Node>()

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
      Stream.concat(
        Stream.succeed<TurnEvent>({ _tag: "Started" }),
        Stream.fromEffect(
          Effect.gen(function* () {
            yield* pay(attempt, turn.id, name, "first")
            yield* attempt.used({ cost: "0.1" })
            yield* Effect.sleep("2 seconds")
            yield* pay(attempt, turn.id, name, "second")
            yield* attempt.used({ cost: "0.2" })
            yield* Effect.sleep("1 second")
            return { _tag: "Completed", report: { output: name } } satisfies TurnEvent
          })
        )
      )
  })

  /** Browsers that take a second to launch. */
  const pool = Layer.succeed(BrowserPool, { launch: () => Effect.as(Effect.sleep("1 second"), browser) })

  /** What was committed last, as the store has it: all commits come by here. */
  const leases = new Map<string, Session["lease"]>()
  const turnsNow = new Map<string, Turn>()
  /** After which commit a session's lease was given. */
  const leasedAfter = new Map<string, number>()
  let noted = 0

  /** Whether a node was killed, stopped or frozen while it had the session. */
  const isTouched = (sessionId: string) => {
    const node = known.get(leases.get(sessionId)?.node ?? "")
    if (node === undefined || node.dead || node.closing || node.awake !== undefined) return true
    return node.wokeAfter >= (leasedAfter.get(sessionId) ?? 0)
  }

  const look = (turn: Turn, known: Turn | undefined) => {
    if (known === undefined) return
    if (turn.failure === "node_lost" && known.failure === null && !isTouched(turn.sessionId)) {
      wrong.push(`${turn.id} was lost by a node that nothing happened to`)
    }
    if (isTerminal(known.status) && known.status !== turn.status) wrong.push(`${turn.id} changed its end`)
    if (known.cost !== null && Decimal.isMore(known.cost, turn.cost ?? "0")) wrong.push(`${turn.id} got cheaper`)
    if (known.startedAt_ms !== null && turn.status === "queued") wrong.push(`${turn.id} had begun and is queued again`)
  }

  const walks = Walks.make(store.lists, turnsNow)

  /** What every commit has to respect, whichever node makes it. */
  const note = ({ session, turns = [] }: Step) => {
    noted++
    for (const turn of turns) {
      look(turn, turnsNow.get(turn.id))
      turnsNow.set(turn.id, turn)
      walks.note(turn)
    }
    if (session === undefined) return
    const { id, lease } = session
    const before = leases.get(id) ?? null
    leases.set(id, lease)
    if (lease?.token === session.revision) leasedAfter.set(id, noted)
    if (before !== null && lease !== null && lease.token < before.token) wrong.push(`a lease of ${id} went back`)
    const atWork = [...turnsNow.values()].filter(
      ({ sessionId, status }) => sessionId === id && (status === "dispatching" || status === "running")
    )
    if (atWork.length > 1) wrong.push(`${atWork.map((turn) => turn.id).join(" and ")} are at work at once`)
    if (atWork[0] !== undefined && atWork[0].id !== lease?.turnId)
      wrong.push(`${atWork[0].id} is at work without a lease`)
  }

  const checked = (step: Step) => Effect.tap(store.commit(step), () => Effect.sync(() => note(step)))

  const faulty = (step: Step) =>
    Effect.suspend(() => {
      const fault = faults.shift()
      if (fault === "conflict" && step.session !== undefined) return Effect.fail(new Conflict({ id: step.session.id }))
      if (fault === "refused") return Effect.fail(unavailable("no"))
      if (fault === "unsent") return Effect.fail(unavailable("unknown"))
      return fault === "lost" ? Effect.andThen(checked(step), Effect.fail(unavailable("unknown"))) : checked(step)
    })

  /** The store as a node has it: out of reach when the node is dead, and while it is frozen. */
  const storeOf = (node: () => Node | undefined): Store["Service"] => {
    const gate = <A, E>(done: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
      Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => {
        const { awake, dead } = node() ?? { awake: undefined, dead: false }
        if (dead) return Effect.never
        if (awake === undefined && outages > 0) return Effect.fail(unavailable("no"))
        return awake === undefined ? done : Effect.andThen(Deferred.await(awake), gate(done))
      })
    return {
      ...store,
      isInMemory: false,
      // every third takes a while, so that others come in between; one that is under way reaches a store of many, but not
      // a file that another server has by then
      commit: (step) => {
        const late = arrangement === "shared" ? faulty(step) : gate(faulty(step))
        return gate(++commits % 3 === 0 ? Effect.andThen(Effect.sleep(1), late) : faulty(step))
      },
      session: (id) => gate(store.session(id)),
      sessionState: (id) => gate(store.sessionState(id)),
      turn: (id) => gate(store.turn(id)),
      turnsOf: (id) => gate(store.turnsOf(id)),
      browser: (id) => gate(store.browser(id)),
      unfinished: (limit) => gate(store.unfinished(limit)),
      idempotencyRecord: (key) => gate(store.idempotencyRecord(key)),
      cancelledAt: (name) => gate(store.cancelledAt(name)),
      leasedTo: (name) => gate(store.leasedTo(name)),
      startingAt: (name) => gate(store.startingAt(name)),
      node: (name) => gate(store.node(name)),
      isLost: (name) => gate(store.isLost(name)),
      renew: (...told) => gate(store.renew(...told)),
      leave: (name) => gate(store.leave(name)),
      abandoned: (limit) => gate(store.abandoned(limit))
    }
  }

  const work =
    arrangement === "shared"
      ? SharedWork.layer({ lifetime: "10 seconds", every: "4 seconds", look: "2 seconds" })
      : LocalWork.layer

  const start = Effect.fnUntraced(function* () {
    const name = `n${++starts}`
    const scope = yield* Scope.make()
    let node: Node | undefined
    const layer = Engine.layerOf.pipe(
      Layer.provide(work),
      Layer.provide([
        layerStreamingAgent(agentOf(name)),
        pool,
        ids,
        Layer.succeed(NodeId, name),
        Layer.sync(Store, () => storeOf(() => node))
      ]),
      Layer.fresh
    )
    const engine = Context.get(yield* Layer.buildWithScope(layer, scope), Engine)
    const requests = new Set<Fiber.Fiber<void>>()
    const close = Effect.suspend(() =>
      Effect.andThen(
        Effect.forEach([...requests], (request) => Fiber.await(request)),
        Scope.close(scope, Exit.void)
      )
    )
    node = { name, engine, close, requests, closing: false, dead: false, awake: undefined, wokeAfter: 0 }
    known.set(name, node)
    return node
  })

  const first = yield* start()
  const nodes: [Node, Node] = [first, arrangement === "shared" ? yield* start() : first]
  const place = ({ node }: Happening) => (node === 0 || arrangement === "alone" ? 0 : 1)

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

  const createBrowser = Effect.fnUntraced(function* (node: Node, key: string) {
    const { browser } = yield* node.engine.createBrowser({ proxyCountryCode: null }, { key, body: key })
    const known = browsers.get(key) ?? browser.id
    if (known !== browser.id) wrong.push(`key ${key} made ${known} and ${browser.id}`)
    browsers.set(key, browser.id)
  })

  const wake = (node: Node) => {
    const { awake } = node
    node.awake = undefined
    if (awake !== undefined) node.wokeAfter = noted
    return awake === undefined ? Effect.void : Deferred.succeed(awake, undefined)
  }

  /** What a client asks a node for. */
  const request = Effect.fnUntraced(function* ({ does, which }: Happening, node: Node) {
    const known = acknowledged[acknowledged.length - 1 - (which % Math.max(1, acknowledged.length))]
    switch (does) {
      case "create":
        return yield* create(node, `k${++keys}`)
      case "repeat": {
        const key = Math.max(1, keys - which)
        return yield* browsers.has(`b${key}`) ? createBrowser(node, `b${key}`) : create(node, `k${key}`)
      }
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
      case "browser":
        return yield* createBrowser(node, `b${++keys}`)
      default:
        return yield* node.engine.stopBrowser([...browsers.values()].at(-1 - which) ?? "")
    }
  })

  /** Ends a node in good order; a file has one server at a time, so the next one starts when the one before is gone. */
  const end = Effect.fnUntraced(function* (node: Node, at: 0 | 1, drains: boolean) {
    if (node.closing) return
    node.closing = true
    const ended = drains ? Effect.andThen(node.engine.drain("2 seconds"), node.close) : node.close
    if (arrangement === "shared") {
      nodes[at] = yield* start()
      return yield* ended
    }
    yield* wake(node)
    yield* ended
    if (node.dead) return
    node.dead = true
    nodes[at] = yield* start()
  })

  const act = Effect.fnUntraced(function* (happening: Happening) {
    const { does } = happening
    const at = place(happening)
    const node = nodes[at]
    switch (does) {
      case "kill":
        // the start of the one that follows may take a while
        if (node.dead) return
        node.dead = true
        return void (nodes[at] = yield* start())
      case "close":
      case "drain":
        return yield* end(node, at, does === "drain")
      case "freeze":
        return void (node.awake ??= yield* Deferred.make<void>())
      case "thaw":
        return yield* wake(node)
      case "outage":
        outages++
        yield* Effect.sleep(3000 * (happening.which + 1))
        return void (outages = Math.max(0, outages - 1))
      case "conflict":
      case "refused":
      case "lost":
      case "unsent":
        return void faults.push(does)
      default: {
        if (node.closing) return
        const fiber = yield* Effect.forkDetach(Effect.ignore(Effect.asVoid(request(happening, node))), {
          startImmediately: true
        })
        node.requests.add(fiber)
        fiber.addObserver(() => void node.requests.delete(fiber))
      }
    }
  })

  const walking = yield* Effect.forkChild(walks.walk)
  for (const happening of happenings) {
    yield* Effect.forkDetach(Effect.ignore(act(happening)), { startImmediately: true })
    yield* TestClock.adjust(happening.pause_ms)
  }
  // the world calms down: all machines wake up, and where there may be another one, one that is new is there
  faults.length = 0
  outages = 0
  for (const node of nodes) yield* wake(node)
  if (arrangement === "shared") yield* start()
  // the lost time of a node has to lapse in any case
  yield* TestClock.adjust("15 seconds")
  for (let waited_ms = 0; waited_ms < patience_ms; waited_ms += 5000) {
    if ((yield* store.unfinished(1)).sessions.length === 0) break
    yield* TestClock.adjust(5000)
  }

  yield* Fiber.interrupt(walking)
  wrong.push(...(yield* walks.wrong))

  const { browsers: open, sessions } = yield* store.unfinished(100)
  if (sessions.length > 0) wrong.push(`${sessions.join(" and ")} are not over`)
  for (const { key, turnId } of acknowledged) {
    const turn = Option.getOrUndefined(yield* store.turn(turnId))
    if (turn === undefined) {
      wrong.push(`${turnId} of ${key} is lost`)
      continue
    }
    if (!isTerminal(turn.status)) wrong.push(`${turnId} is ${turn.status}`)
    if ((turn.status === "failed") !== (turn.error !== null)) wrong.push(`${turnId} is ${turn.status}: ${turn.error}`)
    if (turn.status === "cancelled" && turn.cancel === null) wrong.push(`${turnId} is cancelled without a reason`)
    const steps = paid.get(turnId) ?? []
    const [names, payers] = [0, -1].map((at) => new Set(steps.map((step) => step.split(" ").at(at))).size)
    if (names !== steps.length || (payers ?? 0) > 1) wrong.push(`${turnId} paid for ${steps.join(", ")}`)
    if ((yield* store.stepsOf(turnId)).length < steps.length) wrong.push(`${turnId} paid before it said so`)
    if (turn.status === "completed" && (steps.length !== 2 || turn.cost !== "0.2")) {
      wrong.push(`${turnId} is completed with ${steps.length} steps and ${turn.cost} USD`)
    }
  }
  for (const sessionId of new Set(acknowledged.map((each) => each.sessionId))) {
    const begun = (yield* store.turnsOf(sessionId)).filter((turn) => turn.startedAt_ms !== null)
    const inTurn = begun.filter(({ ahead }) => !ahead).map(({ startedAt_ms }) => startedAt_ms ?? 0)
    if (!inOrder(inTurn)) wrong.push(`the turns of ${sessionId} began at ${inTurn.join(", ")}`)
  }
  for (const id of browsers.values()) {
    const browser = Option.getOrUndefined(yield* store.browser(id))
    if (browser === undefined) wrong.push(`${id} is lost`)
    else if (browser.status === "stopped" && browser.stopReason === null) wrong.push(`${id} stopped without a reason`)
  }
  for (const id of open) {
    const browser = Option.getOrUndefined(yield* store.browser(id))
    const isGone = arrangement === "shared" ? yield* store.isLost(browser?.node ?? "") : browser?.node !== nodes[0].name
    if (isGone || browser?.status === "starting") wrong.push(`${id} of ${browser?.node} is ${browser?.status}`)
  }
  return wrong
})

/** Lives in a world, on a clock and over a store of its own, and says what went wrong there. */
export const live = (world: World, spoil: Spoil = (store) => store): Effect.Effect<ReadonlyArray<string>> =>
  liveIn(world).pipe(
    Effect.provide(Layer.effect(Store, Effect.map(Store, spoil)).pipe(Layer.provide(MemoryStore.layer)), {
      local: true
    }),
    Effect.provide([TestClock.layer(), Logger.layer([])]),
    Effect.orDie,
    Effect.scoped
  )
