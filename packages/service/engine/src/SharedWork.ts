import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { nameIn, type Node } from "./domain/Node.ts"
import { Hints } from "./ports/Hints.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store } from "./ports/Store.ts"
import { type Hands, Work } from "./ports/Work.ts"

/** Heartbeats and checks of nodes that share a store. */
export interface SharedOptions {
  /** Time that a node stays alive after its latest heartbeat; 5 seconds by default. */
  readonly lifetime?: Duration.Input
  /** Interval between heartbeats; every second by default, so that four in a row may be lost or late. */
  readonly every?: Duration.Input
  /**
   * Interval between checks for work that other nodes left behind or cancelled; every half second by default. Each
   * check is a read.
   */
  readonly look?: Duration.Input
  /** For how long it goes on with what it has while the store does not answer; a minute unless given. */
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

/** By the monotonic clock: the time of day can be set. */
const elapsedOf = (clock: Clock.Clock) => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** Number of abandoned sessions that a node takes over in one sweep, and the number of them at once. */
const limit = 100
const concurrency = 8

/** Number of lost nodes that it remembers as reported: more than are found lost at a time. */
const keptLost = 100

/**
 * Work of a store that several nodes share. What a node accepts it works on itself, at once. Each node says in the
 * store until when it lives, and takes over what a node left behind that does so no more. One that was found lost is
 * lost for good: it takes nothing from then on, and what it holds is refused.
 *
 * A store that was away for all nodes costs none of them what it has: a node that could not say in time that it lives
 * may say so late, until another node finds it lost, and after an outage each node gives the others a lifetime for that.
 */
export const layer = ({
  about,
  drained = Effect.void,
  every = "1 second",
  lifetime = "5 seconds",
  look = "500 millis",
  lost = Effect.void,
  patience = "1 minute",
  undrained = Effect.void
}: SharedOptions = {}): Layer.Layer<Work, never, Store> =>
  Layer.effect(
    Work,
    Effect.gen(function* () {
      const store = yield* Store
      const node = yield* NodeId
      const hints = yield* Hints
      const clock = yield* Clock.Clock
      const elapsed_ms = Effect.sync(() => elapsedOf(clock))
      const lifetime_ms = Duration.toMillis(Duration.fromInputUnsafe(lifetime))
      const every_ms = Duration.toMillis(Duration.fromInputUnsafe(every))
      const patient = Duration.fromInputUnsafe(patience)
      const startedAt_ms = yield* Clock.currentTimeMillis
      const description = about ?? Effect.succeed({ name: node, address: null, room: 0, draining: false, startedAt_ms })
      let hands: Hands | undefined
      let draining = false
      let isKnown = false
      // after the engine gave back its sessions
      yield* Effect.addFinalizer(() => Effect.ignore(store.leave(node)))

      /** When this node last said that it lives, as it began to; its clock began to count before the store's did. */
      let renewedAt_ms = yield* elapsed_ms

      const mayTake = () => hands !== undefined && elapsedOf(clock) - renewedAt_ms < lifetime_ms

      // a later sweep finds what is not taken now
      const take = (sessionId: string) =>
        Effect.suspend(() => (hands === undefined ? Effect.void : Effect.ignore(hands.take(sessionId))))

      /** True if the store has not responded since then. */
      let failed = false
      /** From when on another node's silence is its own, and not that of a store that was away. */
      let trustedFrom_ms = -Infinity
      /** The same for nodes of another name: the store may have been away before this node was there. */
      let othersFrom_ms = Infinity
      /**
       * True if another node's silence is currently its own: this node itself reaches the store, and its heartbeats are
       * on time.
       */
      const isTrusted = (other: string, now_ms: number) => {
        // an earlier start of this node has ended
        const from_ms = nameIn(other) === nameIn(node) ? trustedFrom_ms : Math.max(trustedFrom_ms, othersFrom_ms)
        return !failed && now_ms >= from_ms && now_ms - renewedAt_ms <= every_ms + lifetime_ms / 2
      }

      /** This node is lost, and others take its sessions. While the store is away, the node can only say so. */
      const lose = (reason: string) =>
        Effect.suspend(() => {
          const held = hands
          if (held === undefined) return Effect.void
          hands = undefined
          const answered = Effect.ignore(
            Effect.retry(Effect.timeout(store.node(node), lifetime), Schedule.spaced(every))
          )
          return Effect.logError(`Node ${node} is lost: ${reason}`).pipe(
            Effect.andThen(held.abandon),
            Effect.andThen(answered),
            Effect.andThen(lost)
          )
        })

      const renew = Effect.gen(function* () {
        if (hands === undefined) return
        const before_ms = yield* elapsed_ms
        const now = yield* description
        const renewed = Effect.timeout(store.renew({ id: node, ...now }, lifetime_ms, isKnown), lifetime)
        if (!(yield* Effect.tapError(renewed, () => Effect.sync(() => void (failed = true))))) {
          return yield* lose("it was silent for too long, and other nodes have what it held.")
        }
        const took_ms = (yield* elapsed_ms) - before_ms
        const from_ms = before_ms + took_ms + lifetime_ms
        if (!isKnown) othersFrom_ms = from_ms
        // others may have had to wait for the store as this one had: what is late of itself says nothing of them
        if (failed || took_ms > lifetime_ms / 2 || before_ms - renewedAt_ms > lifetime_ms) trustedFrom_ms = from_ms
        failed = false
        isKnown = true
        renewedAt_ms = before_ms
        const self = Option.getOrUndefined(yield* store.node(node))
        if (self === undefined || self.draining === draining) return
        draining = self.draining
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

      const sweep = Effect.fnUntraced(function* (kind: "look" | "lookNow") {
        if (hands === undefined) return
        yield* hands[kind]
        if (draining) return
        const { browsers, sessions } = yield* store.abandoned(limit)
        // this node may be lost meanwhile
        for (const id of browsers) if (hands !== undefined) yield* hands.reap(id)
        yield* Effect.forEach(sessions, take, { concurrency, discard: true })
      })

      /**
       * Operations that the store does not respond to and that were reported: an outage is one line in the log, and its
       * end another.
       */
      const failing = new Set<"renew" | "look">()
      const gone = (what: "renew" | "look") => (cause: Cause.Cause<unknown>) => {
        const wasTold = failing.size > 0
        failing.add(what)
        if (wasTold) return Effect.logDebug("The database does not answer yet", cause)
        const { message } = Cause.prettyErrors(cause)[0] ?? new Error("no reason was given")
        return Effect.logWarning(`The database does not answer: ${message}. Trying again until it does.`)
      }
      const back = (what: "renew" | "look") =>
        Effect.suspend(() =>
          hands !== undefined && failing.delete(what) && failing.size === 0
            ? Effect.logInfo("The database answers again.")
            : Effect.void
        )

      const again = (what: "renew" | "look", work: Effect.Effect<void, unknown>, every: Duration.Input) =>
        work.pipe(
          Effect.andThen(back(what)),
          Effect.catchCause(gone(what)),
          Effect.repeat(Schedule.spaced(every)),
          Effect.forkScoped({ startImmediately: true })
        )

      /** Does not wait for the store: one that does not answer may be cut off from this node alone. */
      const fence: Effect.Effect<void> = Effect.flatMap(elapsed_ms, (now_ms) => {
        const left_ms = renewedAt_ms + Duration.toMillis(patient) - now_ms
        if (left_ms <= 0) return lose(`its store did not answer for ${Duration.format(patient)}.`)
        const again = Effect.suspend(() => fence)
        return Effect.andThen(Effect.sleep(left_ms), again)
      })

      /** The lost nodes that the log has named, the latest ones. */
      const lostNodes = new Set<string>()
      const tell = (other: string) => (isLost: boolean) => {
        if (!isLost || lostNodes.has(other)) return Effect.void
        for (const oldest of lostNodes) if (lostNodes.size >= keptLost) lostNodes.delete(oldest)
        lostNodes.add(other)
        return Effect.logWarning(`Node ${other} is lost. What it had ends here, and what waits for it starts.`)
      }

      return Work.of({
        offer: () => Effect.void,
        offered: (sessionId) => Effect.suspend(() => (draining ? hints.tell(null) : take(sessionId))),
        mayTake,
        isLost: (other) =>
          Effect.flatMap(elapsed_ms, (now_ms) =>
            isTrusted(other, now_ms) ? Effect.tap(store.isLost(other), tell(other)) : Effect.succeed(false)
          ),
        serve: Effect.fnUntraced(function* (newHands: Hands) {
          hands = newHands
          renewedAt_ms = yield* elapsed_ms
          // the others take over from a node that they do not know
          yield* Effect.ignore(Effect.retry(Effect.tapCause(renew, gone("renew")), Schedule.spaced(every)))
          yield* again("renew", Effect.delay(renew, every), 0)
          yield* again("look", sweep("look"), look)
          // the next look does what fails now
          const words = Stream.runForEach(hints.heard(node), () => Effect.ignoreCause(sweep("lookNow")))
          yield* Effect.forkScoped(words, { startImmediately: true })
          yield* Effect.forkScoped(fence)
        })
      })
    })
  )
