import type { EgressOptions, Isolation } from "@webagent/chromium"
import type { BrowserPlaces, BrowserPool } from "@webagent/engine"
import { BrowserQueueTimeout } from "@webagent/server"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { sharesBrowsers } from "./fairShare.ts"

/** The browsers of a server, as its banner and its health show them. */
export interface BrowsersView {
  readonly kind: "chromium" | "simulated"
  /** Isolation of the browsers; null if there is no process to isolate. */
  readonly isolation: Isolation.Level | null
  /** Explanation for the operator. */
  readonly sentence: string
}

/** The browsers of this server, for its banner and its health. */
export const ServedBrowsers: Context.Reference<BrowsersView> = Context.Reference("webagent-server/ServedBrowsers", {
  defaultValue: (): BrowsersView => ({
    kind: "simulated",
    isolation: null,
    sentence: "simulated: no real browser is started"
  })
})

/** Options for real browsers. */
export interface ChromiumOptions {
  /** The least that has to keep them apart. */
  readonly isolation: Isolation.Level
  readonly egress: EgressOptions
  /** Folder of the recordings. */
  readonly folder: string
  /** The languages that browsers announce to pages; `en-US` and `en` unless given. */
  readonly languages?: ReadonlyArray<string> | undefined
}

/** Limits of the browsers, real or simulated. */
export interface BrowserLimits {
  /** Number of browsers at once; by default, as many as the machine can run, and any number of simulated ones. */
  readonly most?: number | undefined
  /** Maximum time that a request for a browser waits for a free one; 20 seconds unless given. */
  readonly browserQueueTimeout?: Duration.Duration | undefined
  /** Maximum time that a run waits for a free browser; 5 minutes unless given. */
  readonly runQueueTimeout?: Duration.Duration | undefined
  /** Number of browsers that one API key may use while other keys use some; three quarters by default. */
  readonly mostPerKey?: number | undefined
}

/** Limits of a pool of this many browsers, in which API keys leave some to each other. */
export const placesOf = (most: number, { mostPerKey, runQueueTimeout }: BrowserLimits) =>
  Effect.map(SqlClient.SqlClient, (sql): BrowserPlaces.PlacesOptions => {
    // the store fails the create itself if it is away
    const applies = (key: string) =>
      sharesBrowsers(key).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.orElseSucceed(() => false)
      )
    return {
      most,
      perOwner: { most: mostPerKey ?? Math.max(1, Math.floor((most * 3) / 4)), applies },
      ...(runQueueTimeout === undefined ? {} : { queue: runQueueTimeout })
    }
  })

/** The browsers of a server that searched for real ones and found none. */
const layerWithout = <R>(sentence: string, simulated: Layer.Layer<BrowserPool, never, R>) =>
  Layer.merge(simulated, Layer.succeed(ServedBrowsers, { kind: "simulated", isolation: null, sentence }))

/** The browsers that are asked for; `auto` is Chromium where it can be had, and kept apart, else simulated ones. */
export const layer = <R>(
  kind: "auto" | "chromium" | "simulated",
  options: ChromiumOptions,
  limits: BrowserLimits,
  simulated: Layer.Layer<BrowserPool, never, R>
) => {
  const { browserQueueTimeout } = limits
  const queue =
    browserQueueTimeout === undefined ? Layer.empty : Layer.succeed(BrowserQueueTimeout, browserQueueTimeout)
  if (kind === "simulated") return Layer.merge(simulated, queue)
  // a server with simulated browsers starts without it
  const chromium = Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./chromium.ts")),
      ({ layerChromium }) => layerChromium(options, limits)
    )
  )
  const pool =
    kind === "chromium"
      ? chromium
      : Layer.catchTag(chromium, "UserError", ({ message }) =>
          layerWithout(`simulated: no real browser is started. ${message}`, simulated)
        )
  return Layer.merge(pool, queue)
}
