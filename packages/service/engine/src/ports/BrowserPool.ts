import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Browser, StopReason } from "../domain/Browser.ts"

/** How a connection ended: with its browser, at its client's wish (`Browser.close`), or cut while the browser runs on. */
export type ConnectionEnd = "stopped" | "closed" | "dropped"

/** One CDP connection: a message is the text of one JSON object. Closing the scope disconnects. */
export interface CdpConnection {
  /** Says a message to the browser; waits while the client does not read what the browser says. */
  readonly send: (message: string) => Effect.Effect<void>
  /** What the browser says; ends with the connection. */
  readonly messages: Stream.Stream<string>
  /** Waits for the browser's side to end the connection. */
  readonly ended: Effect.Effect<ConnectionEnd>
}

/** A browser that runs. Connections come and go, the browser runs until `stop`, or until it ends by itself. */
export interface LaunchedBrowser {
  readonly connect: Effect.Effect<CdpConnection, never, Scope.Scope>
  /** Stops the browser and ends every connection to it. */
  readonly stop: Effect.Effect<void>
  /** Waits for the browser to end by itself and says why. Without it the browser never does. */
  readonly ended?: Effect.Effect<StopReason>
}

/** No browser came to be: the pool has no room, or the launch went wrong. The message says what to do. */
export class LaunchFailed extends Data.TaggedError("LaunchFailed")<{
  readonly reason: "full" | "failed"
  readonly message: string
}> {}

/** The port to whatever provides browsers. The record is stored, as `starting`, before the launch. */
export class BrowserPool extends Context.Service<
  BrowserPool,
  {
    readonly launch: (browser: Browser) => Effect.Effect<LaunchedBrowser, LaunchFailed>
  }
>()("@webagent/engine/BrowserPool") {}
