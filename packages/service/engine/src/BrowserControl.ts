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

/** Control of the browsers that run at this node. The agent of a browser pauses before its next action while a person has it. */
export interface BrowserControl {
  /** The person who has control; null if control is free. */
  readonly of: (browserId: string) => Effect.Effect<Control | null>
  /**
   * Gives control for a time. The driver who has it extends it; then it isn't new. The agent pauses at once. If
   * `store` fails, the take doesn't count.
   */
  readonly take: <E = never>(
    browserId: string,
    driver: string,
    for_ms: number,
    store?: (isNew: boolean) => Effect.Effect<void, E>
  ) => Effect.Effect<Control & { readonly isNew: boolean }, ControlTaken | E>
  /** Ends control: of this driver, or of any driver if none is named. */
  readonly release: (browserId: string, driver?: string) => Effect.Effect<void, ControlTaken>
  /** True if a person has control of the browser. */
  readonly isHeld: (browserId: string) => boolean
  /** The id of the last take; undefined before the first one. */
  readonly lastTake: (browserId: string) => string | undefined
  /** Ends control of a browser that has stopped. */
  readonly forget: (browserId: string) => void
  /** Waits until control is free, and tells whether its time was over; `released` if it is free already. */
  readonly free: (browserId: string) => Effect.Effect<"released" | "expired">
  /** Waits until a person has had control, now or from now on, and it is free again. Returns the person's key. */
  readonly handedBack: (browserId: string) => Effect.Effect<string>
}

/** A take and its extensions. */
interface Drive {
  readonly id: string
  readonly released: Deferred.Deferred<void>
  /** True once a take is stored. */
  isStored: boolean
}

interface Held extends Control {
  readonly drive: Drive
}

/** Makes the control of a node's browsers. */
export const make = (): BrowserControl => {
  const held = new Map<string, Held>()
  const last = new Map<string, string>()
  let takes = 0
  /** Waits for the next person. */
  const awaited = new Map<string, Deferred.Deferred<string>>()

  const end = (browserId: string, { released }: Drive): void => {
    held.delete(browserId)
    Deferred.doneUnsafe(released, Effect.void)
  }

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
              Effect.as(Deferred.await(control.drive.released), "released" as const),
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
    take: (browserId, driver, for_ms, store = () => Effect.void) =>
      Effect.gen(function* () {
        const now_ms = yield* Clock.currentTimeMillis
        const before = yield* current(browserId)
        if (before !== undefined && before.driver !== driver)
          return yield* new ControlTaken({ browserId, control: before })
        const drive = before?.drive ?? { id: `${now_ms}-${++takes}`, released: Deferred.makeUnsafe(), isStored: false }
        const control = { id: drive.id, driver, until_ms: now_ms + for_ms }
        held.set(browserId, { ...control, drive })
        yield* Effect.tapError(store(before === undefined), () =>
          Effect.sync(() => {
            if (!drive.isStored && held.get(browserId)?.drive === drive) end(browserId, drive)
            else if (before !== undefined && held.get(browserId)?.until_ms === control.until_ms)
              held.set(browserId, before)
          })
        )
        if (!drive.isStored) {
          drive.isStored = true
          last.set(browserId, drive.id)
          const next = awaited.get(browserId)
          awaited.delete(browserId)
          if (next !== undefined) Deferred.doneUnsafe(next, Effect.succeed(driver))
        }
        return { ...control, isNew: before === undefined }
      }),
    release: Effect.fnUntraced(function* (browserId, driver) {
      const control = yield* current(browserId)
      if (control === undefined) return
      if (driver !== undefined && control.driver !== driver) return yield* new ControlTaken({ browserId, control })
      end(browserId, control.drive)
    }),
    isHeld: (browserId) => held.has(browserId),
    lastTake: (browserId) => last.get(browserId),
    forget: (browserId) => {
      last.delete(browserId)
      const control = held.get(browserId)
      if (control !== undefined) end(browserId, control.drive)
    },
    free: (browserId) => free(browserId),
    handedBack: Effect.fnUntraced(function* (browserId) {
      const control = yield* current(browserId)
      const next = awaited.get(browserId) ?? Deferred.makeUnsafe<string>()
      const isDriven = control?.drive.isStored === true
      if (!isDriven) awaited.set(browserId, next)
      const driver = isDriven
        ? control.driver
        : yield* Effect.onInterrupt(Deferred.await(next), () => Effect.sync(() => awaited.delete(browserId)))
      yield* free(browserId)
      return driver
    })
  }
}
