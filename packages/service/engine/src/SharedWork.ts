import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { placesIn } from "./domain/Node.ts"
import * as NodeLease from "./NodeLease.ts"
import { Hints } from "./ports/Hints.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store } from "./ports/Store.ts"
import { type Hands, Work } from "./ports/Work.ts"

/** Heartbeats and checks of nodes that share a store. */
export interface SharedOptions extends NodeLease.LeaseOptions {
  /**
   * Interval between checks for work that other nodes left behind or cancelled; every half second by default. Each
   * check is a read.
   */
  readonly look?: Duration.Input
}

/** Number of abandoned sessions that a node takes over in one sweep, and the number of them at once. */
const limit = 100
const concurrency = 8

/** Number of lost nodes that the log names only once: more than are lost at a time. */
const maxLostNodes = 100

const make = Effect.fnUntraced(function* ({ look = "500 millis", ...options }: SharedOptions) {
  const about = options.about ?? Effect.succeed(undefined)
  const store = yield* Store
  const node = yield* NodeId
  const hints = yield* Hints
  const lease = yield* NodeLease.make(options)

  // a later sweep finds what is not taken now
  const take = (sessionId: string) => Effect.suspend(() => Effect.ignore(lease.hands()?.take(sessionId) ?? Effect.void))

  const isLeased = (sessionId: string) =>
    Effect.map(
      store.session(sessionId),
      Option.exists(({ lease }) => lease !== null)
    )

  const sweep = Effect.fnUntraced(function* (kind: "look" | "lookNow") {
    const hands = lease.hands()
    if (hands === undefined) return
    yield* hands[kind]
    if (lease.isDraining()) return
    const { browsers, sessions } = yield* store.abandoned(limit)
    // this node may be lost meanwhile
    for (const id of browsers) yield* lease.hands()?.reap(id) ?? Effect.void
    if (sessions.length === 0) return
    // the turns of lost nodes end here, or go back to the queue
    const own = (yield* leavesToOthers) ? yield* Effect.filter(sessions, isLeased) : sessions
    yield* Effect.forEach(own, take, { concurrency, discard: true })
  })

  /**
   * True if runs start sooner at another node: it has room for a browser and this one doesn't, or only there an idle
   * browser can give way.
   */
  const leavesToOthers = Effect.gen(function* () {
    const { room } = (yield* about) ?? {}
    if (room !== 0) return false
    const others = (yield* store.nodes).filter(({ draining, id }) => id !== node && !draining)
    return others.some((other) => other.room > 0 || (lease.hands()?.idleBrowsers() === 0 && placesIn(other) > 0))
  })

  /** The latest lost nodes that the log has named. */
  const lostNodes = new Set<string>()
  const logLost = (other: string) => {
    if (lostNodes.has(other)) return Effect.void
    for (const oldest of lostNodes) if (lostNodes.size >= maxLostNodes) lostNodes.delete(oldest)
    lostNodes.add(other)
    return Effect.logWarning(`Node ${other} is lost. Its work ends here, and waiting work starts.`)
  }

  return Work.of({
    offered: (sessionId) => Effect.suspend(() => (lease.isDraining() ? hints.tell(null) : take(sessionId))),
    mayTake: lease.isValid,
    isLost: (other) =>
      Effect.flatMap(lease.isTrusted(other), (isTrusted) =>
        isTrusted
          ? Effect.tap(store.isLost(other), (isLost) => (isLost ? logLost(other) : Effect.void))
          : Effect.succeed(false)
      ),
    serve: Effect.fnUntraced(function* (hands: Hands) {
      yield* lease.hold(hands)
      yield* lease.repeat("look", sweep("look"), look)
      // the next look repeats a failed one
      const onHint = Stream.runForEach(hints.heard(node), () => Effect.ignoreCause(sweep("lookNow")))
      yield* Effect.forkScoped(onHint, { startImmediately: true })
    })
  })
})

/**
 * Work of a store that several nodes share. What a node accepts it works on itself, at once. Each node says in the
 * store until when it lives, and takes over what a node left behind that does so no more. One that was found lost is
 * lost for good: it takes nothing from then on, and what it holds is refused.
 *
 * A store that was away for all nodes costs none of them what it has: a node that could not say in time that it lives
 * may say so late, until another node finds it lost, and after an outage each node gives the others a lifetime for that.
 */
export const layer = (options: SharedOptions = {}): Layer.Layer<Work, never, Store> => Layer.effect(Work, make(options))
