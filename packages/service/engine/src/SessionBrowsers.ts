import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BrowserCreates } from "./BrowserCreates.ts"
import type { BrowserStops } from "./BrowserStops.ts"
import { BrowserStopped, CountryUnavailable, ProfileUnusable } from "./domain/Errors.ts"
import type { Session } from "./domain/Session.ts"
import type { LaunchQueue, PoolLaunches } from "./PoolLaunches.ts"
import type { SessionBrowser } from "./ports/Agent.ts"
import { type CdpTransport, type LaunchedBrowser, LaunchFailed } from "./ports/BrowserPool.ts"
import { Owner } from "./ports/Owner.ts"
import { ProfileNotFound } from "./ports/Profiles.ts"
import { StoreUnavailable } from "./ports/StoreUnavailable.ts"
import type { RunningBrowsers } from "./RunningBrowsers.ts"

/** Connects to the browsers that run at this node, and gives agents those of their sessions. */
export interface SessionBrowsers {
  /** Connects to a browser that runs here, or to the page of it whose target has this id. */
  readonly connectTo: (id: string, page?: string) => Effect.Effect<CdpTransport, BrowserStopped, Scope.Scope>
  /** Restricts a browser that runs here; another one has nothing to restrict. */
  readonly allowDomains: (id: string, domains: ReadonlyArray<string> | null) => Effect.Effect<void>
  /**
   * Connects to the browser of a session's agent: it is launched at first use, and again when the one before has
   * stopped. It is restricted before the agent has it. `use` stores the id of a new one. The launch may wait for room,
   * within the limits of `queue`.
   */
  readonly ofSession: <E, E2>(
    session: Pick<Session, "browser" | "id" | "owner" | "profileId" | "recording">,
    storedId: Effect.Effect<string | null, E>,
    use: (browserId: string) => Effect.Effect<void, E2>,
    domains?: () => ReadonlyArray<string> | null,
    queue?: LaunchQueue
  ) => Effect.Effect<SessionBrowser, LaunchFailed | StoreUnavailable, Scope.Scope>
}

interface SessionBrowsersOptions extends Pick<BrowserCreates, "create"> {
  readonly pool: Pick<PoolLaunches, "makeRoom">
  readonly running: RunningBrowsers
  readonly stops: Pick<BrowserStops, "isStopping" | "stopLater">
}

/** The failure of a run whose session gets no browser. */
const failed = (error: unknown) => {
  const message =
    error instanceof ProfileNotFound
      ? "The run's profile was deleted. Create a new run."
      : error instanceof ProfileUnusable
        ? error.message
        : error instanceof CountryUnavailable
          ? `This server has no proxy in ${error.country.toUpperCase()}. Create a new run without proxyCountryCode.`
          : "The session's browser is gone. Create a new run."
  return new LaunchFailed({ reason: "failed", message })
}

/** Makes the connections of a node. */
export const make = ({ create, pool, running, stops }: SessionBrowsersOptions): SessionBrowsers => {
  const launchedAs = (id: string): Effect.Effect<LaunchedBrowser, BrowserStopped> =>
    Effect.suspend(() => {
      const launched = running.get(id)
      return launched === undefined ? Effect.fail(new BrowserStopped({ id })) : Effect.succeed(launched)
    })

  const connectTo: SessionBrowsers["connectTo"] = (id, page) =>
    Effect.flatMap(launchedAs(id), ({ connect, connectPage }) =>
      page === undefined ? connect : (connectPage?.(page) ?? Effect.fail(new BrowserStopped({ id })))
    )

  const allowDomains: SessionBrowsers["allowDomains"] = (id, domains) =>
    Effect.ignore(Effect.flatMap(launchedAs(id), (launched) => launched.allowDomains?.(domains) ?? Effect.void))

  const use = (id: string, owner: string | null) =>
    Effect.acquireRelease(
      Effect.sync(() => running.setUsed(id)),
      () =>
        Effect.suspend(() => {
          const launched = running.get(id)
          if (launched === undefined) return Effect.void
          running.setUnused(id, owner)
          pool.makeRoom()
          // other nodes' browsers can start with what this turn did; the next turn doesn't wait for it
          return launched.save === undefined
            ? Effect.void
            : Effect.asVoid(Effect.forkDetach(Effect.ignore(launched.save)))
        })
    )

  return {
    connectTo,
    allowDomains,
    ofSession: (
      { browser: settings, id: sessionId, owner, profileId, recording },
      storedId,
      onCreated,
      domains = () => null,
      queue = {}
    ) =>
      Effect.uninterruptibleMask(
        Effect.fnUntraced(function* (restore) {
          const id = yield* restore(storedId)
          const connect = (browserId: string) =>
            Effect.andThen(
              use(browserId, owner),
              Effect.andThen(
                allowDomains(browserId, domains()),
                Effect.zipWith(launchedAs(browserId), connectTo(browserId), (identity, to) => ({ ...to, identity }))
              )
            )
          if (id !== null && running.get(id) !== undefined && !stops.isStopping(id))
            return { ...(yield* restore(connect(id))), isNew: false }
          const { browser } = yield* Effect.provideService(
            create(
              {
                proxyCountryCode: null,
                ...settings,
                recording,
                sessionId,
                ...(profileId === null ? {} : { profileId })
              },
              () => ({}),
              queue,
              restore
            ),
            Owner,
            owner
          )
          // from here on the browser stops with its session
          yield* Effect.onError(onCreated(browser.id), () => Effect.sync(() => stops.stopLater(browser.id, "asked")))
          return { ...(yield* restore(connect(browser.id))), isNew: true }
        })
      ).pipe(
        Effect.mapError((error) =>
          error instanceof LaunchFailed || error instanceof StoreUnavailable ? error : failed(error)
        )
      )
  }
}
