import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Browser } from "../domain/Browser.ts"

/** One CDP connection: a message is the text of one JSON object. Closing the scope disconnects. */
export interface CdpConnection {
  readonly send: (message: string) => Effect.Effect<void>
  /** What the browser says; ends when the browser stops. */
  readonly messages: Stream.Stream<string>
}

/** A browser that runs. Connections come and go, the browser runs until `stop`. */
export interface LaunchedBrowser {
  readonly connect: Effect.Effect<CdpConnection, never, Scope.Scope>
  /** Stops the browser and ends every connection to it. */
  readonly stop: Effect.Effect<void>
}

/** The port to whatever provides browsers. */
export class BrowserPool extends Context.Service<
  BrowserPool,
  {
    readonly launch: (browser: Browser) => Effect.Effect<LaunchedBrowser>
  }
>()("@webagent/server/BrowserPool") {}
