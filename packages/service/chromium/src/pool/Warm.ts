import type { CdpError } from "@webagent/cdp"
import type { Browser } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import * as DevTools from "../cdp/DevTools.ts"
import * as BrowserProcess from "../process/BrowserProcess.ts"
import { usualLanguages } from "../process/flags.ts"
import { Sandbox, type SandboxError } from "../sandbox/Sandbox.ts"
import * as limits from "./limits.ts"

/** A started browser; closing its scope ends it and everything of it. */
export interface Started {
  readonly process: BrowserProcess.BrowserProcess
  readonly folder: string
  readonly scope: Scope.Closeable
  readonly since_ms: number
  /**
   * True if it responds; checked once, when it is handed out. The connection for the check is opened before that, and
   * then closed.
   */
  readonly answers: Effect.Effect<boolean>
}

/** After this time one that waits makes room for a new one. */
const oldest_ms = 30 * 60_000

/** Time limit for a waiting browser to respond to this check. */
const answerWithin = "2 seconds"

/** After this time a create that took one that waited is answered. */
const answered = "100 millis"

/** Ends a browser and everything of it. */
export const close = ({ scope }: Pick<Started, "scope">) => Scope.close(scope, Exit.void)

const whetherAnswers = Effect.fnUntraced(function* (devTools: DevTools.DevTools) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const client = yield* Scope.provide(DevTools.connect(devTools, { timeout: answerWithin }), scope)
  return client.send("Browser.getVersion").pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false),
    Effect.ensuring(Scope.close(scope, Exit.void))
  )
})

/** Start options of browsers, and the number that wait. */
interface WarmOptions extends Omit<
  BrowserProcess.StartOptions,
  "name" | "proxyCountryCode" | "screen" | "timeZone" | "userAgent"
> {
  /** Number of browsers that should currently wait. */
  readonly wanted: () => number
}

/** The settings of one browser, which a waiting one doesn't have; null for those of the pool. */
type Own = Pick<Browser.Browser, "languages" | "proxyCountryCode" | "screen" | "timeZone" | "userAgent">

/** The settings of a browser that waits. */
const usualOwn: Own = { languages: null, proxyCountryCode: null, screen: null, timeZone: null, userAgent: null }

type Prepare = BrowserProcess.StartOptions["prepare"]

/** The browsers that wait, started, for the next create. */
export interface Warm {
  /**
   * Returns a browser that responds: the oldest waiting one, or a new one with settings of its own, or with files in its
   * profile.
   */
  readonly take: (
    own: Own,
    prepare?: Prepare
  ) => Effect.Effect<Started, BrowserProcess.StartFailed | SandboxError | CdpError>
  /** Tells that there may be too few that wait. */
  readonly replenish: () => void
}

/** Keeps browsers waiting until the scope closes, which ends all that were started. */
export const make = Effect.fnUntraced(function* ({
  wanted,
  ...options
}: WarmOptions): Effect.fn.Return<Warm, never, Sandbox | Scope.Scope> {
  const sandbox = yield* Sandbox
  const clock = yield* Clock.Clock
  const pool = yield* Effect.scope
  // all of them end at once
  const browsers = yield* Scope.fork(pool, "parallel")
  const launching = yield* Semaphore.make(limits.launches)
  const waiting: Array<Started> = []
  const usual = (options.languages ?? usualLanguages).join()
  const isUsual = ({ languages, ...own }: Own) =>
    [own.proxyCountryCode, own.screen, own.timeZone, own.userAgent].every((each) => each === null) &&
    (languages === null || languages.join() === usual)
  let count = 0
  /** Says that there may be too few that wait. */
  const missing = yield* Queue.sliding<void>(1)

  const start = ({ languages, proxyCountryCode, screen, timeZone, userAgent }: Own, prepare?: Prepare) =>
    launching.withPermit(
      Effect.gen(function* () {
        const scope = yield* Scope.fork(browsers)
        const name = `browser-${++count}`
        const [process, answers] = yield* BrowserProcess.start({
          ...options,
          name,
          proxyCountryCode,
          screen,
          timeZone,
          userAgent,
          ...(languages === null ? {} : { languages }),
          ...(prepare === undefined ? {} : { prepare })
        }).pipe(
          Effect.flatMap((started) =>
            Effect.map(whetherAnswers(started.devTools), (answers) => [started, answers] as const)
          ),
          Effect.provideService(Sandbox, sandbox),
          Scope.provide(scope),
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : close({ scope })))
        )
        const since_ms = clock.currentTimeMillisUnsafe()
        return { process, folder: join(options.runtime, name), scope, since_ms, answers } satisfies Started
      })
    )

  /** One that waits and answers, the oldest first; undefined when there is none. */
  const takeWaiting: Effect.Effect<Started | undefined> = Effect.suspend(() => {
    const next = waiting.shift()
    if (next === undefined) return Effect.succeed(undefined)
    return Effect.flatMap(
      Effect.onInterrupt(next.answers, () => close(next)),
      (isWell) => (isWell ? Effect.succeed(next) : Effect.andThen(close(next), takeWaiting))
    )
  })

  /** Starts one that does not wait. */
  const startNow = (own: Own, prepare?: Prepare) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(start(own, prepare)), (one) =>
        Effect.flatMap(
          Effect.onInterrupt(restore(one.answers), () => close(one)),
          (isWell) =>
            isWell
              ? Effect.succeed(one)
              : Effect.andThen(close(one), new BrowserProcess.StartFailed({ message: "It does not respond." }))
        )
      )
    )

  /** Lets a browser wait for the next create, unless it ends before. */
  const wait = (started: Started) =>
    Effect.suspend(() => {
      waiting.push(started)
      const dropped = Effect.suspend(() => {
        const at = waiting.indexOf(started)
        if (at === -1) return Effect.void
        waiting.splice(at, 1)
        Queue.offerUnsafe(missing, undefined)
        return close(started)
      })
      return Effect.forkIn(Effect.andThen(started.process.exited, dropped), pool)
    })

  /** Keeps as many waiting as there should be, and none for too long. */
  const keep = Effect.gen(function* () {
    const oldest = clock.currentTimeMillisUnsafe() - oldest_ms
    const old = waiting.findIndex(({ since_ms }) => since_ms > oldest)
    yield* Effect.forEach(waiting.splice(0, old === -1 ? waiting.length : old), close, { discard: true })
    const missing = wanted() - waiting.length
    if (missing <= 0 || !limits.hasMemory()) return
    yield* Effect.forEach(Array.from({ length: missing }), () => Effect.flatMap(start(usualOwn), wait), {
      concurrency: "unbounded",
      discard: true
    })
  })
  yield* keep.pipe(
    Effect.catchCause((cause) =>
      // one that was about to start ends with the pool
      pool.state._tag === "Closed"
        ? Effect.void
        : Effect.logWarning("Cannot start a browser ahead of time. Trying again.", cause)
    ),
    Effect.andThen(Effect.timeoutOption(Queue.take(missing), "30 seconds")),
    // a launch takes the processor: a create that was given one that waited is answered first
    Effect.andThen(Effect.sleep(answered)),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    take: (own, prepare) =>
      // those that wait have the usual way out, the pool's languages and an empty profile
      Effect.flatMap(isUsual(own) && prepare === undefined ? takeWaiting : Effect.succeed(undefined), (one) =>
        one === undefined ? startNow(own, prepare) : Effect.succeed(one)
      ),
    replenish: () => void Queue.offerUnsafe(missing, undefined)
  }
})
