import type { TimeMode, TimeView } from "@webagent/control"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Semaphore from "effect/Semaphore"
import type { Timer } from "./TimerHeap.ts"
import * as TimerQueue from "./TimerQueue.ts"
import { RealClock } from "./RealClock.ts"
import * as TrackedScheduler from "./TrackedScheduler.ts"

/** Time is moved by hand only where it goes by no other means. */
export class TimeNotManual extends Data.TaggedError("TimeNotManual")<{ readonly time: TimeMode }> {
  override get message() {
    const how = this.time.mode === "scaled" ? `scaled by ${this.time.factor}` : this.time.mode
    return `Service time is ${how}. Set it to manual before you advance it.`
  }
}

/**
 * Service time: the Clock of the whole server. It passes like the clock around it, faster by a factor, or only when it is
 * moved. It never jumps when that changes, and a sleep ends at the moment of service time that was asked for.
 *
 * @example
 * ```ts
 * import { ServiceClock } from "@webagent/simulation"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * export const program = Effect.gen(function* () {
 *   const time = yield* ServiceClock
 *   yield* time.go({ mode: "manual" })
 *   yield* Effect.forkChild(Effect.andThen(Effect.sleep("30 minutes"), Effect.log("half an hour")))
 *   yield* time.advance("1 hour") // the line was logged when this returns
 * }).pipe(Effect.provide(Layer.provideMerge(ServiceClock.layerClock, ServiceClock.layer())))
 * ```
 */
export class ServiceClock extends Context.Service<
  ServiceClock,
  {
    readonly clock: Clock.Clock
    /** Knows when the work of a timer is done. Fibers that sleep on `clock` run on it. */
    readonly scheduler: Scheduler.Scheduler
    readonly view: Effect.Effect<TimeView>
    /**
     * Changes the pace of service time from now on.
     *
     * @param time - Real, scaled by a factor, or manual.
     * @returns An effect that changes it.
     * @example
     * ```ts
     * import { ServiceClock } from "@webagent/simulation"
     *
     * export const program = ServiceClock.use((time) => time.go({ mode: "manual" }))
     * ```
     */
    readonly go: (time: TimeMode) => Effect.Effect<void>
    /**
     * Moves manual time forward. Timers fire in the order of their times, each after the effects of the one before.
     *
     * @param by - The time to add, such as `"30 minutes"`.
     * @returns An effect that succeeds once everything due until then has happened.
     * @throws `TimeNotManual` if time is not manual.
     * @example
     * ```ts
     * import { ServiceClock } from "@webagent/simulation"
     *
     * export const program = ServiceClock.use((time) => time.advance("30 minutes"))
     * ```
     */
    readonly advance: (by: Duration.Input) => Effect.Effect<void, TimeNotManual>
    /**
     * Sets the time. Sleeping fibers sleep as long as before.
     *
     * @param at_ms - The time in milliseconds since 1970.
     * @returns An effect that sets it.
     * @example
     * ```ts
     * import { ServiceClock } from "@webagent/simulation"
     *
     * export const program = ServiceClock.use((time) => time.setNow(Date.UTC(2030, 0, 1)))
     * ```
     */
    readonly setNow: (at_ms: number) => Effect.Effect<void>
    /**
     * Runs an effect that takes real time, such as a request to another program. Manual time stands still meanwhile.
     *
     * @param effect - The effect.
     * @returns The result of the effect.
     * @example
     * ```ts
     * import { ServiceClock } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     *
     * export const program = ServiceClock.use((time) =>
     *   time.outside(Effect.promise((signal) => fetch("http://127.0.0.1:4000/health", { signal })))
     * )
     * ```
     */
    readonly outside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Returns the number of sleeping fibers. */
    readonly timers: Effect.Effect<number>
  }
>()("@webagent/simulation/ServiceClock") {
  /**
   * Provides service time, which starts at the time of the surrounding clock.
   *
   * @param time - Real, scaled by a factor, or manual; real by default.
   * @returns A layer with the clock.
   * @example
   * ```ts
   * import { ServiceClock } from "@webagent/simulation"
   *
   * export const layer = ServiceClock.layer({ mode: "scaled", factor: 60 })
   * ```
   */
  static readonly layer = (time: TimeMode = { mode: "real" }): Layer.Layer<ServiceClock> =>
    Layer.effect(ServiceClock, make(time))

  /** Lets whatever it is provided to wait in service time; of nothing else it changes the clock. */
  static get layerClock(): Layer.Layer<never, never, ServiceClock> {
    return Layer.effectContext(
      Effect.map(ServiceClock, ({ clock, scheduler }) =>
        Context.make(Clock.Clock, clock).pipe(Context.add(Scheduler.Scheduler, scheduler))
      )
    )
  }
}

interface Waiting extends Timer {
  readonly wake: () => void
}

const { tolerance_ms } = TimerQueue

/** For how long a fiber that does not let go holds up the others, of the time around. */
const patience = Duration.seconds(1)

/** Number of tasks that must have run by then: a machine that is slow, or that pauses, runs few. */
const many = 10_000

const factorOf = (time: TimeMode): number => (time.mode === "real" ? 1 : time.mode === "manual" ? 0 : time.factor)

const make = Effect.fnUntraced(function* (initial: TimeMode) {
  const around = yield* Clock.Clock
  const real = yield* RealClock
  const { giveUp, ran, scheduler, settled } = TrackedScheduler.make(yield* Scheduler.Scheduler)
  const moving = yield* Semaphore.make(1)
  let time = initial
  /** The times at which the pace last changed; timers count by `elapsed_ms`. */
  let since = { elapsed_ms: 0, now_ms: around.currentTimeMillisUnsafe(), around: readAround() }
  /** The position of manual time. */
  let moved_ms = 0
  let outside = 0
  let onInside: (() => void) | undefined

  /** Waits for operations that take real time, and for their consequences. */
  const inside = Effect.suspend(() =>
    outside === 0
      ? Effect.void
      : Effect.andThen(
          Effect.callback<void>((resume) => {
            onInside = () => resume(Effect.void)
          }),
          Effect.repeat(Effect.yieldNow, { times: 50 })
        )
  )

  function readAround() {
    return { now_ms: around.currentTimeMillisUnsafe(), monotonic: around.monotonicTimeNanosUnsafe() }
  }

  const elapsed = (): number =>
    time.mode === "manual"
      ? moved_ms
      : since.elapsed_ms + (Number(around.monotonicTimeNanosUnsafe() - since.around.monotonic) / 1e6) * factorOf(time)

  // of a clock that is set right while the server runs, `real` shows the step, as every clock does
  const now = (): number =>
    time.mode === "real"
      ? since.now_ms + (around.currentTimeMillisUnsafe() - since.around.now_ms)
      : since.now_ms + (elapsed() - since.elapsed_ms)

  const nanos = (ms: number): bigint => {
    const whole = Math.floor(ms)
    return BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1e6))
  }

  const timers = yield* TimerQueue.make<Waiting>(({ wake }) => wake(), {
    elapsed_ms: elapsed,
    sleep: (wait_ms) =>
      time.mode === "manual"
        ? undefined
        : around.sleep(Duration.millis(Math.max(wait_ms / factorOf(time), tolerance_ms)))
  })

  const sleep = (duration: Duration.Duration): Effect.Effect<void> => {
    const ms = Duration.toMillis(duration)
    if (ms <= 0) return Effect.yieldNow
    if (!Number.isFinite(ms)) return Effect.never
    return Effect.callback<void>((resume) => {
      const timer = { at: timers.after(ms), ordinal: 0, place: -1, wake: () => resume(Effect.void) }
      timers.add(timer)
      return Effect.sync(() => timers.remove(timer))
    })
  }

  const currentTimeMillisUnsafe = () => Math.floor(now() + tolerance_ms)
  const currentTimeNanosUnsafe = () =>
    time.mode === "real"
      ? around.currentTimeNanosUnsafe() + BigInt(Math.floor(since.now_ms) - since.around.now_ms) * 1_000_000n
      : nanos(now())
  const monotonicTimeNanosUnsafe = () => BigInt(Math.round(elapsed() * 1e6))
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe,
    currentTimeNanosUnsafe,
    monotonicTimeNanosUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe),
    sleep
  }

  const change = (to: { readonly time?: TimeMode; readonly now_ms?: number }) => {
    since = { elapsed_ms: elapsed(), now_ms: to.now_ms ?? now(), around: readAround() }
    moved_ms = since.elapsed_ms
    time = to.time ?? time
    timers.restart()
  }

  /** Sees to it that no fiber that goes on without a pause holds up the others for good. */
  const impatient = (woken: () => number): Effect.Effect<never> => {
    let seen = -1
    return Effect.forever(
      Effect.suspend(() => {
        const stuck = seen === woken() && ran() > many
        seen = woken()
        if (!stuck) return around.sleep(patience)
        giveUp()
        return Effect.logWarning("A fiber runs without a pause; service time moves on without it.")
      })
    )
  }

  const advance = Effect.fnUntraced(
    function* (by: Duration.Input) {
      if (time.mode !== "manual") return yield* new TimeNotManual({ time })
      // what was begun just before gets to its sleep
      yield* Fiber.await(yield* Effect.forkChild(Effect.yieldNow))
      const end = moved_ms + Duration.toMillis(by)
      let woken = 0
      const watch = yield* Effect.forkChild(impatient(() => woken))
      yield* inside
      for (let at = timers.next(); at !== undefined && at <= end + tolerance_ms; at = timers.next()) {
        const timer = timers.take()
        moved_ms = Math.max(at, moved_ms)
        woken++
        if (timer !== undefined) yield* Effect.andThen(settled(timer.wake), Effect.yieldNow)
        yield* inside
      }
      yield* Fiber.interrupt(watch)
      moved_ms = end
    },
    Effect.provideService(Clock.Clock, around),
    moving.withPermits(1)
  )

  const service: ServiceClock["Service"] = {
    clock,
    scheduler,
    view: Effect.sync(() => ({ time, now_ms: now(), realNow_ms: real.currentTimeMillisUnsafe() })),
    go: (next) => moving.withPermits(1)(Effect.sync(() => change({ time: next }))),
    advance,
    setNow: (at_ms) => moving.withPermits(1)(Effect.sync(() => change({ now_ms: at_ms }))),
    outside: (effect) =>
      Effect.suspend(() => {
        outside++
        return Effect.ensuring(
          effect,
          Effect.sync(() => {
            if (--outside === 0) onInside?.()
          })
        )
      }),
    timers: Effect.sync(timers.size)
  }
  return service
})
