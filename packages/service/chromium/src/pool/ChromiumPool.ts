import {
  type Browser,
  BrowserPlaces,
  BrowserPool,
  type LaunchedBrowser,
  LaunchFailed,
  type LaunchWait
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import * as Connection from "../cdp/Connection.ts"
import * as DevTools from "../cdp/DevTools.ts"
import { LiveBrowsers } from "../live/LiveBrowsers.ts"
import type * as BrowserProcess from "../process/BrowserProcess.ts"
import * as BrowserProfiles from "../profile/BrowserProfiles.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as limits from "./limits.ts"
import * as Runtime from "./Runtime.ts"
import * as Warm from "./Warm.ts"
import { watch } from "./Watch.ts"

/** Settings of a pool of browsers. */
export interface PoolOptions
  extends
    Pick<BrowserProcess.StartOptions, "binary" | "chromiumSandbox" | "languages" | "tasks" | "user" | "within">,
    Pick<BrowserPlaces.PlacesOptions, "perOwner" | "queue"> {
  /** Number of started browsers that wait for the next create; 2 by default. */
  readonly warm?: number
  /**
   * Maximum number of browsers that run at once, not counting those that wait; by default, derived from the memory and
   * cores, or a container's limits of them.
   */
  readonly most?: number
  /** For how long one runs at the most; an hour unless given. */
  readonly lifetime?: Duration.Input
  /** For how long one runs that no CDP message reaches; 10 minutes unless given. */
  readonly idle?: Duration.Input
  /** Maximum memory of its processes; 1 GiB by default. */
  readonly memory_bytes?: number
  /** Maximum size of its files, including downloads; 1 GiB by default. */
  readonly disk_bytes?: number
  /** Parent folder of the browsers' folders; below the temporary folder by default. */
  readonly root?: string
}

/** The reason why a browser is gone: by itself, or because it was stopped. */
type End = Browser.EndReason | "stopped"

/** A browser that runs, for what looks at it besides its clients. */
export interface RunningBrowser {
  readonly devTools: DevTools.DevTools
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

interface HandedOut extends RunningBrowser {
  readonly pid: number
  readonly end: (how: End) => Effect.Effect<void>
}

/** Ends after which a browser's profile is saved. */
const savingEnds: ReadonlyArray<End> = ["stopped", "expired", "idle"]

const notStarted = "The browser did not start. Try again; the log of the server says why"

/** Starts browsers with the saved states of their profiles. */
const starting =
  (profiles: BrowserProfiles.BrowserProfiles, take: Warm.Warm["take"]) =>
  (browser: Browser.Browser): Effect.Effect<Warm.Started, LaunchFailed> =>
    Effect.gen(function* () {
      const content = yield* profiles.load(browser)
      if (content === undefined) return yield* take(browser)
      const started = yield* take(browser, BrowserProfiles.preparing(content))
      yield* Effect.onError(BrowserProfiles.giveCookies(started.process.devTools, content), () => Warm.close(started))
      return started
    }).pipe(
      Effect.catchIf(
        (error) => !(error instanceof LaunchFailed),
        ({ message }) =>
          // paths of this machine are for its operator
          Effect.andThen(
            Effect.logWarning(`Cannot start a browser: ${message}`),
            new LaunchFailed({ reason: "failed", message: notStarted })
          )
      )
    )

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
  const runtime = yield* Runtime.make(root)
  const running = new Map<string, HandedOut>()
  const places = yield* BrowserPlaces.make({ ...options, most, hasMemory: limits.hasMemory })
  const profiles = yield* BrowserProfiles.make(options.binary.version)
  const { replenish, take } = yield* Warm.make({
    ...options,
    runtime,
    wanted: () => Math.min(warm, most - places.taken())
  })
  const start = starting(profiles, take)
  const watchThem = yield* watch(() => [...running.values()], { memory_bytes, disk_bytes })

  const handOut = Effect.fnUntraced(function* (browser: Browser.Browser, started: Warm.Started) {
    const { allowedDomains, expiresAt_ms, id } = browser
    const allowDomains = (domains: ReadonlyArray<string> | null) => allow(domains ?? allowedDomains)
    const { folder, process, scope } = started
    const { allow, bytes, devTools, exited, pid } = process
    const over = yield* Deferred.make<End>()
    const ended = Deferred.await(over)
    /** Done when its processes are gone, and its profile is saved. */
    const gone = yield* Deferred.make<void>()
    const writes = browser.profile?.mode === "write"
    const saving = yield* Semaphore.make(1)
    let used_ms = clock.currentTimeMillisUnsafe()
    const used = () => {
      used_ms = clock.currentTimeMillisUnsafe()
    }
    const end = (how: End) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          // who comes second waits for who came first
          if (!Deferred.doneUnsafe(over, Effect.succeed(how))) return Deferred.await(gone)
          running.delete(id)
          // what a browser that crashed or was too large left may be damaged
          const saved =
            writes && savingEnds.includes(how)
              ? saving.withPermit(profiles.closeAndSave(browser, started))
              : Effect.void
          // its room is free when its processes are gone
          return Effect.andThen(saved, Warm.close(started)).pipe(
            Effect.ensuring(
              Effect.sync(() => {
                places.release(browser.owner)
                replenish()
                Deferred.doneUnsafe(gone, Effect.void)
              })
            )
          )
        })
      )
    yield* allowDomains(null)
    running.set(id, { devTools, folder, used, ended, pid, end })
    watchThem()
    if (Option.isSome(live)) yield* Scope.provide(live.value.add(browser, DevTools.connect(devTools), used), scope)

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
        Connection.open({ ...connected, devTools: DevTools.ofPage(devTools, id), cut: "closed" }),
      stop: end("stopped"),
      bytes,
      allowDomains,
      ...(writes ? { save: saving.withPermit(profiles.saveNow(browser, started)) } : {}),
      ended: Effect.flatMap(ended, (how) => (how === "stopped" ? Effect.never : Effect.as(Deferred.await(gone), how)))
    } satisfies LaunchedBrowser
  })

  const launch = (browser: Browser.Browser, wait?: LaunchWait) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* places.take(browser, wait, restore)
        const started = yield* Effect.onError(restore(start(browser)), () =>
          Effect.sync(() => places.release(browser.owner))
        )
        return yield* handOut(browser, started)
      }).pipe(Effect.ensuring(Effect.sync(replenish)))
    )

  return Context.make(BrowserPool, {
    launch,
    room: places.room,
    queueTimeout_ms: places.queueTimeout_ms,
    lifetime_ms: Duration.toMillis(lifetime),
    countries: sandbox.countries,
    usesProfiles: true
  }).pipe(Context.add(RunningBrowsers, { find: (id) => running.get(id) }))
})

/**
 * Real browsers for the engine, each in a process tree and a folder of its own. A few are started ahead of time, and
 * none is used twice. Closing the layer ends all of them.
 */
export const layer = (
  options: PoolOptions
): Layer.Layer<BrowserPool | RunningBrowsers, Runtime.RuntimeUnusable, Sandbox> => Layer.effectContext(make(options))
