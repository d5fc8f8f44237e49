import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Control of a browser by a person, until it is released or its time is over. */
export interface Control {
  /** Of this take alone, and of those that extend it. */
  readonly id: string
  /** Name of the key that took it. */
  readonly driver: string
  readonly until_ms: number
}

/** Another person has control of the browser. */
export class ControlTaken extends Data.TaggedError("ControlTaken")<{
  readonly browserId: string
  readonly control: Control
}> {}

/** Control of the browsers that run at this node. The agent of a browser pauses between steps while a person has it. */
export interface BrowserControl {
  /** The person who has control; null if control is free. */
  readonly of: (browserId: string) => Effect.Effect<Control | null>
  /** Gives control for a time. The driver who has it extends it; then it isn't new. */
  readonly take: (
    browserId: string,
    driver: string,
    for_ms: number
  ) => Effect.Effect<Control & { readonly isNew: boolean }, ControlTaken>
  /** Ends control: of this driver, or of any driver if none is named. */
  readonly release: (browserId: string, driver?: string) => Effect.Effect<void, ControlTaken>
  /** Waits until control is free, and tells whether its time was over; `released` if it is free already. */
  readonly free: (browserId: string) => Effect.Effect<"released" | "expired">
  /** Waits until a person has had control, now or from now on, and it is free again. Returns the person's key. */
  readonly handedBack: (browserId: string) => Effect.Effect<string>
}

interface Held extends Control {
  readonly released: Deferred.Deferred<void>
}

/** Makes the control of a node's browsers. */
export const make = (): BrowserControl => {
  const held = new Map<string, Held>()
  let takes = 0
  /** Waits for the next person. */
  const awaited = new Map<string, Deferred.Deferred<string>>()

  const current = (browserId: string) =>
    Effect.map(Clock.currentTimeMillis, (now_ms): Held | undefined => {
      const control = held.get(browserId)
      if (control === undefined || control.until_ms > now_ms) return control
      held.delete(browserId)
      return undefined
    })

  const free = (browserId: string, last: "released" | "expired" = "released"): Effect.Effect<"released" | "expired"> =>
    Effect.flatMap(Effect.all([current(browserId), Clock.currentTimeMillis]), ([control, now_ms]) =>
      control === undefined
        ? Effect.succeed(last)
        : Effect.flatMap(
            // a later take may have extended it
            Effect.raceFirst(
              Effect.as(Deferred.await(control.released), "released" as const),
              Effect.as(Effect.sleep(control.until_ms - now_ms), "expired" as const)
            ),
            (how) => free(browserId, how)
          )
    )

  return {
    of: (browserId) =>
      Effect.map(current(browserId), (control) =>
        control === undefined ? null : { id: control.id, driver: control.driver, until_ms: control.until_ms }
      ),
    take: Effect.fnUntraced(function* (browserId, driver, for_ms) {
      const now_ms = yield* Clock.currentTimeMillis
      const before = yield* current(browserId)
      if (before !== undefined && before.driver !== driver)
        return yield* new ControlTaken({ browserId, control: before })
      // browsers that stopped are forgotten
      for (const [id, { until_ms }] of held) if (until_ms <= now_ms) held.delete(id)
      const control = { id: before?.id ?? `${now_ms}-${++takes}`, driver, until_ms: now_ms + for_ms }
      held.set(browserId, { ...control, released: before?.released ?? Deferred.makeUnsafe<void>() })
      const next = awaited.get(browserId)
      awaited.delete(browserId)
      if (next !== undefined) Deferred.doneUnsafe(next, Effect.succeed(driver))
      return { ...control, isNew: before === undefined }
    }),
    release: Effect.fnUntraced(function* (browserId, driver) {
      const control = yield* current(browserId)
      if (control === undefined) return
      if (driver !== undefined && control.driver !== driver) return yield* new ControlTaken({ browserId, control })
      held.delete(browserId)
      Deferred.doneUnsafe(control.released, Effect.void)
    }),
    free: (browserId) => free(browserId),
    handedBack: Effect.fnUntraced(function* (browserId) {
      const held = yield* current(browserId)
      const next = awaited.get(browserId) ?? Deferred.makeUnsafe<string>()
      if (held === undefined) awaited.set(browserId, next)
      const driver =
        held?.driver ??
        (yield* Effect.onInterrupt(Deferred.await(next), () => Effect.sync(() => awaited.delete(browserId))))
      yield* free(browserId)
      return driver
    })
  }
}
