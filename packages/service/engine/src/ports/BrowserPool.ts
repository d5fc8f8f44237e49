import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Browser, EndReason, StopReason } from "../domain/Browser.ts"

/**
 * Reasons why a connection closed: at its client's request (`Browser.close`), dropped while the browser continues, or
 * with its browser, which was stopped or stopped by itself.
 */
export type ConnectionEnd = "closed" | "dropped" | "stopped" | EndReason

/** The text of one JSON object, or its bytes in UTF-8: who only passes a message on does not decode it. */
export type CdpMessage = string | Uint8Array

/** Receiver of a browser client's messages, called immediately and in order. */
export interface CdpReceiver {
  readonly onMessage: (message: CdpMessage) => void
  /** The browser takes messages again, after a `send` that answered false. */
  readonly onDrain: () => void
  /** Is told what the browser says in place of `onMessage`, as frames of a WebSocket's server, where there are `frames`. */
  readonly onFrames?: (bytes: Uint8Array) => void
}

/** The frames of a browser's WebSocket, for clients that have one: they pass as they are, many for one write. */
export interface CdpFrames {
  /** True if a message may pass unchanged; any other is for `send`. */
  readonly passes: (message: Uint8Array) => boolean
  /** Says whole frames of a client, each with a message that `passes`; false as `send`. */
  readonly pass: (bytes: Uint8Array) => boolean
  /** True if the frames so far are complete, so that other frames may follow. */
  readonly areWhole: () => boolean
}

/**
 * One CDP connection, in callbacks: a message is passed on for what its bytes cost. Closing the scope disconnects.
 * `overTransport` of `@webagent/cdp` makes a client of it.
 */
export interface CdpTransport {
  /** Says a message to the browser; false when the client must wait for `onDrain` before it says more. */
  readonly send: (message: CdpMessage) => boolean
  /** Begins to tell what the browser says; until then that waits. Called once, before anything is sent. */
  readonly receive: (receiver: CdpReceiver) => void
  /** Makes the browser wait for a client that does not read; a few messages may still come. */
  readonly pause: () => void
  readonly resume: () => void
  /** Without it, messages are all that it takes and tells. */
  readonly frames?: CdpFrames
  /** Waits for the browser's side to end the connection. All that the browser said is told before. */
  readonly ended: Effect.Effect<ConnectionEnd>
}

/** A browser that runs. Connections come and go, the browser runs until `stop`, or until it ends by itself. */
export interface LaunchedBrowser {
  readonly connect: Effect.Effect<CdpTransport, never, Scope.Scope>
  /** A connection to one of its pages, as Chromium's at `/devtools/page/ID`. Without it there is none. */
  readonly connectPage?: (targetId: string) => Effect.Effect<CdpTransport, never, Scope.Scope>
  /** Stops the browser and ends every connection to it. */
  readonly stop: Effect.Effect<void>
  /** Waits for the browser to end by itself and says why. Without it the browser never does. */
  readonly ended?: Effect.Effect<StopReason>
  /** Number of bytes that it has sent and received so far; null, or no such field, if they are not counted. */
  readonly bytes?: Effect.Effect<number | null>
  /**
   * Lets it connect to these domains only, from now on: `example.com`, or `*.example.com` for every name below it.
   * Connections to others end. Null for those of its record. Without it nothing keeps the browser from any.
   */
  readonly allowDomains?: (domains: ReadonlyArray<string> | null) => Effect.Effect<void>
}

/**
 * No browser came to be: the pool has no room, the launch went wrong, or the node drains while the launch waits. The
 * message says what to do.
 */
export class LaunchFailed extends Data.TaggedError("LaunchFailed")<{
  readonly reason: "full" | "failed" | "draining"
  readonly message: string
  /** The owner, if only the end of one of this owner's browsers makes room. */
  readonly owner?: string
}> {}

/** A launch that waits for room in place of failing. Its callbacks run synchronously. */
export interface LaunchWait {
  /** Receives the reason each time that there is no room. */
  readonly onRefused: (full: LaunchFailed) => void
  /** Runs when the launch has a place in the pool, before the browser starts. */
  readonly onPlace: () => void
  /** Ends the wait when it fails. */
  readonly over: Effect.Effect<never, LaunchFailed>
}

/** The port to whatever provides browsers. The record is stored, as `starting`, before the launch. */
export class BrowserPool extends Context.Service<
  BrowserPool,
  {
    /** Launches a browser. Without room it fails as `full`; with a `wait`, only after the time that the pool lets it wait. */
    readonly launch: (browser: Browser, wait?: LaunchWait) => Effect.Effect<LaunchedBrowser, LaunchFailed>
    /**
     * Opens an active browser again that an earlier engine of this node launched. Without it, such a browser stops as
     * lost with its node.
     */
    readonly resume?: (browser: Browser) => Effect.Effect<LaunchedBrowser>
    /** Number of further browsers that can currently be launched; unlimited by default. */
    readonly room?: Effect.Effect<number>
    /** For how long a browser may run, in milliseconds; no limit unless given. The pool stops it then. */
    readonly lifetime_ms?: number
    /** The countries with a proxy, as two capital letters; each is launched unless given. */
    readonly countries?: ReadonlyArray<string>
  }
>()("@webagent/engine/BrowserPool") {}
