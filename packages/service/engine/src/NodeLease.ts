import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { nameIn, type Node } from "./domain/Node.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store } from "./ports/Store.ts"
import type { Hands } from "./ports/Work.ts"
import * as StoreOutage from "./StoreOutage.ts"

/** Heartbeats of a node that shares a store. */
export interface LeaseOptions {
  /** Time that a node stays alive after its latest heartbeat; 5 seconds by default. */
  readonly lifetime?: Duration.Input
  /** Interval between heartbeats; every second by default, so that four in a row may be lost or late. */
  readonly every?: Duration.Input
  /** Time for which a node keeps its work while the store is unavailable; a minute by default. */
  readonly patience?: Duration.Input
  /** Description of the node in each heartbeat; its id as its name, and no address, by default. */
  readonly about?: Effect.Effect<Omit<Node, "id">>
  /** Called once when this node is lost. The store then refuses all its steps. */
  readonly lost?: Effect.Effect<void>
  /** Called once when the store says that this node must drain. */
  readonly drained?: Effect.Effect<void>
  /** Called when the store no longer says so. */
  readonly undrained?: Effect.Effect<void>
}

/** Renews the lease of this node in the store, until the node is lost. */
export interface NodeLease extends Pick<StoreOutage.StoreOutage, "repeat"> {
  /** Starts the heartbeats. */
  readonly hold: (hands: Hands) => Effect.Effect<void, never, Scope.Scope>
  /** The engine of this node; undefined before `hold`, and once the node is lost. */
  readonly hands: () => Hands | undefined
  /** True while no other node can consider this one lost. */
  readonly isValid: () => boolean
  readonly isDraining: () => boolean
  /**
   * True if another node's silence is currently its own: this node itself reaches the store, and its heartbeats are
   * on time.
   */
  readonly isTrusted: (other: string) => Effect.Effect<boolean>
}

/** By the monotonic clock: the time of day can be set. */
const elapsedOf = (clock: Clock.Clock) => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** Makes the lease of this node. Closing its scope ends the lease. */
export const make = Effect.fnUntraced(function* (options: LeaseOptions) {
  const { drained = Effect.void, every = "1 second", lifetime = "5 seconds", lost = Effect.void } = options
  const { patience = "1 minute", undrained = Effect.void } = options
  const store = yield* Store
  const node = yield* NodeId
  const clock = yield* Clock.Clock
  const elapsed_ms = Effect.sync(() => elapsedOf(clock))
  const lifetime_ms = Duration.toMillis(Duration.fromInputUnsafe(lifetime))
  const every_ms = Duration.toMillis(Duration.fromInputUnsafe(every))
  const patient = Duration.fromInputUnsafe(patience)
  const startedAt_ms = yield* Clock.currentTimeMillis
  const description =
    options.about ?? Effect.succeed({ name: node, address: null, room: 0, draining: false, startedAt_ms })
  let hands: Hands | undefined
  let draining = false
  let isKnown = false
  // after the engine gave back its sessions
  yield* Effect.addFinalizer(() => Effect.ignore(store.leave(node)))

  /** Start of the latest successful heartbeat; this node's clock began to count before the store's did. */
  let renewedAt_ms = yield* elapsed_ms
  /** True if the store has not responded since then. */
  let failed = false
  /** From when on another node's silence is its own, and not that of a store that was away. */
  let trustedFrom_ms = -Infinity
  /** The same for nodes of another name: the store may have been away before this node was there. */
  let othersFrom_ms = Infinity
  const outage = StoreOutage.make(() => hands !== undefined)

  /** This node is lost, and others take its sessions. While the store is away, the node can only say so. */
  const lose = (reason: string) =>
    Effect.suspend(() => {
      const held = hands
      if (held === undefined) return Effect.void
      hands = undefined
      const reached = Effect.ignore(Effect.retry(Effect.timeout(store.node(node), lifetime), Schedule.spaced(every)))
      return Effect.logError(`Node ${node} is lost: ${reason}`).pipe(
        Effect.andThen(held.abandon),
        Effect.andThen(reached),
        Effect.andThen(lost)
      )
    })

  const renew = Effect.gen(function* () {
    if (hands === undefined) return
    const before_ms = yield* elapsed_ms
    const now = yield* description
    const self = { id: node, ...now, idle: hands.idleBrowsers() }
    const renewed = Effect.timeout(store.renew(self, lifetime_ms, isKnown), lifetime)
    if (!(yield* Effect.tapError(renewed, () => Effect.sync(() => void (failed = true))))) {
      return yield* lose("it was silent for too long, and other nodes took over its work.")
    }
    const took_ms = (yield* elapsed_ms) - before_ms
    const from_ms = before_ms + took_ms + lifetime_ms
    if (!isKnown) othersFrom_ms = from_ms
    // others may have had to wait for the store as this one had, so their heartbeats may only be late
    if (failed || took_ms > lifetime_ms / 2 || before_ms - renewedAt_ms > lifetime_ms) trustedFrom_ms = from_ms
    failed = false
    isKnown = true
    renewedAt_ms = before_ms
    const stored = Option.getOrUndefined(yield* store.node(node))
    if (stored === undefined || stored.draining === draining) return
    draining = stored.draining
    if (!draining) {
      yield* Effect.logInfo("Taking new runs and browsers again: the drain was undone.")
      return yield* Effect.andThen(hands.undrain, undrained)
    }
    // a node that drains by itself has said so
    if (!now.draining) {
      yield* Effect.logInfo("Draining, as another process asked: stop this server when its runs are over.")
    }
    yield* Effect.andThen(hands.drain, drained)
  })

  /** Does not wait for the store: one that does not answer may be cut off from this node alone. */
  const fence: Effect.Effect<void> = Effect.flatMap(elapsed_ms, (now_ms) => {
    const left_ms = renewedAt_ms + Duration.toMillis(patient) - now_ms
    if (left_ms <= 0) return lose(`its store did not respond for ${Duration.format(patient)}.`)
    const again = Effect.suspend(() => fence)
    return Effect.andThen(Effect.sleep(left_ms), again)
  })

  const lease: NodeLease = {
    repeat: outage.repeat,
    hold: Effect.fnUntraced(function* (engine) {
      hands = engine
      renewedAt_ms = yield* elapsed_ms
      // the others take over from a node that they do not know
      yield* Effect.ignore(Effect.retry(Effect.tapCause(renew, outage.failed("renew")), Schedule.spaced(every)))
      yield* outage.repeat("renew", Effect.delay(renew, every), 0)
      yield* Effect.forkScoped(fence)
    }),
    hands: () => hands,
    isValid: () => hands !== undefined && elapsedOf(clock) - renewedAt_ms < lifetime_ms,
    isDraining: () => draining,
    isTrusted: (other) =>
      Effect.map(elapsed_ms, (now_ms) => {
        // an earlier start of this node has ended
        const from_ms = nameIn(other) === nameIn(node) ? trustedFrom_ms : Math.max(trustedFrom_ms, othersFrom_ms)
        return !failed && now_ms >= from_ms && now_ms - renewedAt_ms <= every_ms + lifetime_ms / 2
      })
  }
  return lease
})
