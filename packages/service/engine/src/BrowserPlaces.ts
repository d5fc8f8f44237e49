import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Restore } from "./BrowserLaunches.ts"
import type { Browser } from "./domain/Browser.ts"
import { LaunchFailed, type LaunchWait } from "./ports/BrowserPool.ts"
import * as WaitingLaunches from "./WaitingLaunches.ts"

/** Limits the browsers of one owner, so that others find room. */
export interface OwnerLimit {
  readonly most: number
  /** True if the limit currently applies to this owner. It runs only for a browser above the limit. */
  readonly applies: (owner: string) => Effect.Effect<boolean>
}

/** Limits of a pool. */
export interface PlacesOptions {
  /** Maximum number of browsers that run at once. */
  readonly most: number
  /** Maximum number of browsers per owner; unlimited by default. */
  readonly perOwner?: OwnerLimit
  /** Limits how long a launch waits for room if it may and has no limit of its own; 5 minutes by default. */
  readonly queue?: Duration.Input
  /** False while the machine has no memory for another browser; true by default. */
  readonly hasMemory?: () => boolean
}

/** The places of a pool, each for one browser. */
export interface BrowserPlaces {
  /**
   * Takes a place, which the caller then has to release. Without `wait`, it fails if there is none. Call it in an
   * uninterruptible region, with its `restore`.
   */
  readonly take: (
    browser: Pick<Browser, "owner" | "sessionId">,
    wait: LaunchWait | undefined,
    restore: Restore
  ) => Effect.Effect<void, LaunchFailed>
  readonly release: (owner: string | null) => void
  /** Takes a place for a browser that runs already, whatever the limits are. */
  readonly keep: (owner: string | null) => void
  /** Number of places that are taken. */
  readonly taken: () => number
  /** Number of further browsers that can be launched. */
  readonly room: Effect.Effect<number>
  readonly queueTimeout_ms: number
}

const full = (message: string, lack: Pick<LaunchFailed, "lacksMemory" | "owner"> = {}) =>
  new LaunchFailed({ reason: "full", message, ...lack })

/** The wait of a launch that got no place, as a sentence. */
const waited = ({ sessionId }: Pick<Browser, "sessionId">, waited_ms: number) => {
  const time = Duration.format(
    waited_ms < 1000 ? Duration.millis(waited_ms) : Duration.seconds(Math.round(waited_ms / 1000))
  )
  return `The ${sessionId === null ? "request" : "run"} waited ${time} for a browser`
}

/** Makes the places of a pool with limits, and the queue of launches that wait for one. */
export const make = Effect.fnUntraced(function* ({
  hasMemory = () => true,
  most,
  perOwner,
  queue = "5 minutes"
}: PlacesOptions) {
  let taken = 0
  /** Number of places that each owner has taken. */
  const owned = new Map<string | null, number>()
  const count = (owner: string | null, change: 1 | -1) => {
    taken += change
    const left = (owned.get(owner) ?? 0) + change
    if (left === 0) owned.delete(owner)
    else owned.set(owner, left)
    if (change === -1) waiting.look()
  }
  const exceeds = (owner: string | null) => perOwner !== undefined && (owned.get(owner) ?? 0) >= perOwner.most
  /** Takes a place for a browser of this owner. */
  const admit = Effect.fnUntraced(function* (owner: string | null) {
    if (perOwner !== undefined && owner !== null && exceeds(owner) && (yield* perOwner.applies(owner))) {
      // one may have stopped meanwhile; nothing else runs between this check and the count
      if (exceeds(owner)) {
        return yield* full(
          `This API key has ${perOwner.most} browsers here, as many as one key may have. Stop one, or try again later`,
          { owner }
        )
      }
    }
    if (taken >= most) return yield* full(`All ${most} browsers are in use. Stop one, or try again later`)
    if (!hasMemory())
      return yield* full("The machine is short of memory. Stop a browser, or try later", { lacksMemory: true })
    count(owner, 1)
  })
  const waiting = yield* WaitingLaunches.make({ within: queue, admit, release: (owner) => count(owner, -1) })

  /** Takes a place that is free and that no waiting launch can have. */
  const takeNow = (owner: string | null, restore: Restore) =>
    Effect.suspend(() => {
      if (waiting.isEmpty()) return admit(owner)
      const refused = Deferred.makeUnsafe<never, LaunchFailed>()
      const wait: LaunchWait = {
        within: Duration.infinity,
        over: Deferred.await(refused),
        onPlace: () => undefined,
        onRefused: (refusal) => void Deferred.doneUnsafe(refused, Effect.fail(refusal))
      }
      return Effect.asVoid(waiting.take(owner, wait, restore))
    })

  const places: BrowserPlaces = {
    take: Effect.fnUntraced(function* (browser, wait, restore) {
      const { owner } = browser
      if (wait === undefined) return yield* takeNow(owner, restore)
      if (yield* waiting.take(owner, wait, restore)) return
      const waited_ms = (wait.waited_ms ?? 0) + Duration.toMillis(wait.within ?? queue)
      yield* Effect.mapError(
        admit(owner),
        (refusal) => new LaunchFailed({ ...refusal, message: `${refusal.message}. ${waited(browser, waited_ms)}` })
      )
      wait.onPlace()
    }),
    release: (owner) => count(owner, -1),
    keep: (owner) => count(owner, 1),
    taken: () => taken,
    room: Effect.sync(() => (hasMemory() ? Math.max(0, most - taken) : 0)),
    queueTimeout_ms: Duration.toMillis(queue)
  }
  return places
})
