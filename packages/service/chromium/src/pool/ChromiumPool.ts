import { type Browser, BrowserPool, type LaunchedBrowser, LaunchFailed } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import * as CdpClient from "../cdp/CdpClient.ts"
import * as Connection from "../cdp/Connection.ts"
import { type DevTools, ofPage } from "../cdp/DevTools.ts"
import { LiveBrowsers } from "../live/LiveBrowsers.ts"
import * as BrowserProcess from "../process/BrowserProcess.ts"
import * as FolderSize from "../process/FolderSize.ts"
import { exceeds, trees } from "../process/ProcessTree.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as limits from "./limits.ts"
import * as Runtime from "./Runtime.ts"

/** How browsers are kept. */
export interface PoolOptions extends Pick<
  BrowserProcess.StartOptions,
  "binary" | "chromiumSandbox" | "tasks" | "user" | "within"
> {
  /** How many wait, started, for the next create; 2 unless given. */
  readonly warm?: number
  /** How many run at once, besides those that wait; by memory and cores, or a container's limits of them, unless given. */
  readonly most?: number
  /** For how long one runs at the most; an hour unless given. */
  readonly lifetime?: Duration.Input
  /** For how long one runs that no CDP message reaches; 10 minutes unless given. */
  readonly idle?: Duration.Input
  /** How much memory its processes take at the most; 1 GiB unless given. */
  readonly memory_bytes?: number
  /** How much room its files take at the most, downloads too; 1 GiB unless given. */
  readonly disk_bytes?: number
  /** Where the folders of browsers are made; below the temporary folder unless given. */
  readonly root?: string
}

/** Why a browser is gone: by itself, or because it was told to. */
type End = Browser.EndReason | "stopped"

/** A browser that runs, for what looks at it besides its clients. */
export interface RunningBrowser {
  /** Its DevTools: for `CdpClient.connect`. */
  readonly devTools: DevTools
  /** Its own folder, which goes with it. */
  readonly folder: string
  /** Tells that it is in use, as a CDP message does. */
  readonly used: () => void
  readonly ended: Effect.Effect<End>
}

/** The browsers that run here. */
export class RunningBrowsers extends Context.Service<
  RunningBrowsers,
  { readonly find: (id: string) => RunningBrowser | undefined }
>()("@webagent/chromium/RunningBrowsers") {}

/** A started browser; closing its scope ends it and everything of it. */
interface Started {
  readonly process: BrowserProcess.BrowserProcess
  readonly folder: string
  readonly scope: Scope.Closeable
  readonly since_ms: number
  /** Whether it answers; asked once, when it is handed out. The connection for it is open before that, and then closed. */
  readonly answers: Effect.Effect<boolean>
}

interface HandedOut extends RunningBrowser {
  readonly pid: number
  readonly end: (how: End) => Effect.Effect<void>
}

/** After this time one that waits makes room for a new one. */
const oldest_ms = 30 * 60_000

/** How long one that waited may take to say that it is there. */
const answerWithin = "2 seconds"

/** After this time a create that took one that waited is answered. */
const answered = "100 millis"

const close = ({ scope }: Pick<Started, "scope">) => Scope.close(scope, Exit.void)

const notStarted = "The browser did not start. Try again; the log of the server says why"

const full = (message: string) => new LaunchFailed({ reason: "full", message })

const whetherAnswers = Effect.fnUntraced(function* (devTools: DevTools) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const client = yield* Scope.provide(CdpClient.connect(devTools), scope)
  return client.send("Browser.getVersion").pipe(
    Effect.as(true),
    Effect.timeoutOrElse({ duration: answerWithin, orElse: () => Effect.succeed(false) }),
    Effect.orElseSucceed(() => false),
    Effect.ensuring(Scope.close(scope, Exit.void))
  )
})

const make = Effect.fnUntraced(function* ({
  disk_bytes = 1024 ** 3,
  idle = "10 minutes",
  lifetime = "1 hour",
  memory_bytes = 1024 ** 3,
  most = limits.most().count,
  root,
  warm = 2,
  ...options
}: PoolOptions) {
  const idle_ms = Duration.toMillis(idle)
  const sandbox = yield* Sandbox
  // a pool without it has browsers that are not seen
  const live = yield* Effect.serviceOption(LiveBrowsers)
  const clock = yield* Clock.Clock
  const pool = yield* Effect.scope
  // all of them end at once
  const browsers = yield* Scope.fork(pool, "parallel")
  const runtime = yield* Runtime.make(root)
  const launching = yield* Semaphore.make(limits.launches)
  const running = new Map<string, HandedOut>()
  const waiting: Array<Started> = []
  /** How many run, or are about to. */
  let taken = 0
  let count = 0
  /** Says that there may be too few that wait. */
  const missing = yield* Queue.sliding<void>(1)

  const start = (proxyCountryCode: string | null) =>
    launching.withPermit(
      Effect.gen(function* () {
        const scope = yield* Scope.fork(browsers)
        const name = `browser-${++count}`
        const [process, answers] = yield* BrowserProcess.start({ ...options, runtime, name, proxyCountryCode }).pipe(
          Effect.flatMap((started) =>
            Effect.map(whetherAnswers(started.devTools), (answers) => [started, answers] as const)
          ),
          Effect.provideService(Sandbox, sandbox),
          Scope.provide(scope),
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : close({ scope })))
        )
        const since_ms = clock.currentTimeMillisUnsafe()
        return { process, folder: join(runtime, name), scope, since_ms, answers } satisfies Started
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
  const startNow = (proxyCountryCode: string | null) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(start(proxyCountryCode)), (one) =>
        Effect.flatMap(
          Effect.onInterrupt(restore(one.answers), () => close(one)),
          (isWell) =>
            isWell
              ? Effect.succeed(one)
              : Effect.andThen(close(one), new BrowserProcess.StartFailed({ message: "It does not answer." }))
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
    const wanted = Math.min(warm, most - taken) - waiting.length
    if (wanted <= 0 || !limits.hasMemory()) return
    yield* Effect.forEach(Array.from({ length: wanted }), () => Effect.flatMap(start(null), wait), {
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

  /** Ends those whose pages take too much memory. */
  const watchMemory = Effect.suspend(() => {
    const all = [...running.values()]
    const processes = all.length === 0 ? [] : trees(all.map(({ pid }) => pid))
    const heavy = all.filter((_, index) => exceeds(processes[index] ?? [], memory_bytes))
    return Effect.forEach(heavy, ({ end }) => end("out_of_memory"), { discard: true })
  })
  if (process.platform === "linux") {
    yield* Effect.forkScoped(Effect.repeat(watchMemory, Schedule.spaced("2 seconds")))
  }

  /** Ends those that have too many files, or too large ones. */
  const watchDisk = Effect.suspend(() =>
    Effect.forEach(
      [...running.values()],
      ({ end, folder }) =>
        Effect.flatMap(
          Effect.promise(() => FolderSize.exceeds(folder, disk_bytes)),
          (isFull) => (isFull ? end("out_of_disk") : Effect.void)
        ),
      { discard: true }
    )
  )
  yield* Effect.forkScoped(Effect.repeat(watchDisk, Schedule.spaced("2 seconds")))

  const handOut = Effect.fnUntraced(function* (browser: Browser.Browser, started: Started) {
    const { allowedDomains, expiresAt_ms, id } = browser
    const allowDomains = (domains: ReadonlyArray<string> | null) => allow(domains ?? allowedDomains)
    const { folder, process, scope } = started
    const { allow, bytes, devTools, exited, pid } = process
    const over = yield* Deferred.make<End>()
    const ended = Deferred.await(over)
    let used_ms = clock.currentTimeMillisUnsafe()
    const used = () => {
      used_ms = clock.currentTimeMillisUnsafe()
    }
    const end = (how: End) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          // who comes second waits for who came first
          if (!Deferred.doneUnsafe(over, Effect.succeed(how))) return close(started)
          running.delete(id)
          // its room is free when its processes are gone
          return Effect.ensuring(
            close(started),
            Effect.sync(() => {
              taken--
              Queue.offerUnsafe(missing, undefined)
            })
          )
        })
      )
    yield* allowDomains(null)
    running.set(id, { devTools, folder, used, ended, pid, end })
    if (Option.isSome(live)) yield* Scope.provide(live.value.add(browser, CdpClient.connect(devTools), used), scope)

    const idles: Effect.Effect<Browser.EndReason> = Effect.suspend(() => {
      const left_ms = used_ms + idle_ms - clock.currentTimeMillisUnsafe()
      return left_ms <= 0 ? Effect.succeed("idle" as const) : Effect.andThen(Effect.sleep(left_ms), idles)
    })
    const expires =
      expiresAt_ms === null
        ? Effect.never
        : Effect.as(Effect.sleep(Math.max(0, expiresAt_ms - clock.currentTimeMillisUnsafe())), "expired" as const)
    const crashes = Effect.as(exited, "crashed" as const)
    yield* Effect.forkIn(Effect.flatMap(Effect.raceAllFirst([crashes, idles, expires, ended]), end), pool)

    const connected = { devTools, downloads: join(folder, "downloads"), ended, used, cut: "dropped" } as const
    return {
      connect: Connection.open(connected),
      connectPage: (id) =>
        // a page that is closed closes its connections
        Connection.open({ ...connected, devTools: ofPage(devTools, id), cut: "closed" }),
      stop: end("stopped"),
      bytes,
      allowDomains,
      ended: Effect.flatMap(ended, (how) => (how === "stopped" ? Effect.never : Effect.succeed(how)))
    } satisfies LaunchedBrowser
  })

  const launch = (browser: Browser.Browser) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (taken >= most) return yield* full(`All ${most} browsers are in use. Stop one, or try again later`)
        if (!limits.hasMemory()) return yield* full("The machine is short of memory. Stop a browser, or try later")
        taken++
        // those that wait have the usual way out
        const { proxyCountryCode } = browser
        const known = proxyCountryCode === null ? takeWaiting : Effect.succeed(undefined)
        const started = yield* restore(
          Effect.flatMap(known, (one) => (one === undefined ? startNow(proxyCountryCode) : Effect.succeed(one)))
        ).pipe(
          // paths of this machine are for its operator
          Effect.tapError(({ message }) => Effect.logWarning(`Cannot start a browser: ${message}`)),
          Effect.mapError(() => new LaunchFailed({ reason: "failed", message: notStarted })),
          Effect.onError(() => Effect.sync(() => void taken--))
        )
        return yield* handOut(browser, started)
      }).pipe(Effect.ensuring(Effect.sync(() => Queue.offerUnsafe(missing, undefined))))
    )

  return Context.make(BrowserPool, {
    launch,
    room: Effect.sync(() => (limits.hasMemory() ? Math.max(0, most - taken) : 0)),
    lifetime_ms: Duration.toMillis(lifetime),
    countries: sandbox.countries
  }).pipe(Context.add(RunningBrowsers, { find: (id) => running.get(id) }))
})

/**
 * Real browsers for the engine, each in a process tree and a folder of its own. A few are started ahead of time, and
 * none is used twice. Closing the layer ends all of them.
 */
export const layer = (
  options: PoolOptions
): Layer.Layer<BrowserPool | RunningBrowsers, Runtime.RuntimeUnusable, Sandbox> => Layer.effectContext(make(options))
