import type { EgressOptions, Isolation } from "@webagent/chromium"
import type { BrowserPool } from "@webagent/engine"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

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
  readonly most?: number | undefined
  /** The languages that browsers announce to pages; `en-US` and `en` unless given. */
  readonly languages?: ReadonlyArray<string> | undefined
  /** Maximum time that a request for a browser waits for a free one; 20 seconds unless given. */
  readonly browserQueueTimeout?: Duration.Duration | undefined
  /** Maximum time that a run waits for a free browser; 5 minutes unless given. */
  readonly runQueueTimeout?: Duration.Duration | undefined
  /** Number of browsers that one API key may use while other keys use some; three quarters by default. */
  readonly mostPerKey?: number | undefined
}

/** The browsers of a server that searched for real ones and found none. */
const layerWithout = (sentence: string, simulated: Layer.Layer<BrowserPool>) =>
  Layer.merge(simulated, Layer.succeed(ServedBrowsers, { kind: "simulated", isolation: null, sentence }))

/** The browsers that are asked for; `auto` is Chromium where it can be had, and kept apart, else simulated ones. */
export const layer = (
  kind: "auto" | "chromium" | "simulated",
  options: ChromiumOptions,
  simulated: Layer.Layer<BrowserPool>
) => {
  if (kind === "simulated") return simulated
  // a server with simulated browsers starts without it
  const chromium = Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./chromium.ts")),
      ({ layerChromium }) => layerChromium(options)
    )
  )
  return kind === "chromium"
    ? chromium
    : Layer.catchTag(chromium, "UserError", ({ message }) =>
        layerWithout(`simulated: no real browser is started. ${message}`, simulated)
      )
}
