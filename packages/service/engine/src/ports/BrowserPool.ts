import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { QueuePlace } from "../domain/BrowserQueue.ts"
import type { ProfileUnusable } from "../domain/Errors.ts"
import type * as Stream from "effect/Stream"
import type { Browser, EndReason, StopReason } from "../domain/Browser.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

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

/** The folder of a browser's downloads, for an agent that runs next to it. */
export interface BrowserFiles {
  /** Puts a file into it, and returns the path under which the browser finds it. */
  readonly put: <E>(name: string, bytes: Stream.Stream<Uint8Array, E>) => Effect.Effect<string, E | StoreUnavailable>
  /** Opens a downloaded file by the path that the browser reported; null if it isn't a file in the folder. */
  readonly read: (path: string) => Effect.Effect<{
    readonly size: number
    readonly bytes: Stream.Stream<Uint8Array, StoreUnavailable>
  } | null>
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
  /** Without it, the browser's files can't be reached. */
  readonly files?: BrowserFiles
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
  /** Saves its profile while it runs on. Without it there is none to save. */
  readonly save?: Effect.Effect<void, ProfileUnusable>
  /** Number of bytes that it has sent and received so far; null, or no such field, if they are not counted. */
  readonly bytes?: Effect.Effect<number | null>
  /**
   * Lets it connect to these domains only, from now on: `example.com`, or `*.example.com` for every name below it.
   * Connections to others end. Null for those of its record. Without it nothing keeps the browser from any.
   */
  readonly allowDomains?: (domains: ReadonlyArray<string> | null) => Effect.Effect<void>
}

/**
 * No browser came to be: the pool has no room, the launch went wrong, the node drains while the launch waits, the launch
 * moves to a node with room, another node gave it up because this one was silent, its caller left, or an earlier create
 * with its key is still pending. The message says what to do.
 */
export class LaunchFailed extends Data.TaggedError("LaunchFailed")<{
  readonly reason: "full" | "failed" | "draining" | "moved" | "lost" | "left" | "pending"
  readonly message: string
  /** The owner, if only the end of one of this owner's browsers makes room. */
  readonly owner?: string
  /** True if the machine lacks memory. */
  readonly lacksMemory?: boolean
}> {
  /** The scarce resource, if the reason is `full`. */
  get lack(): QueuePlace["reason"] {
    if (this.owner !== undefined) return "key"
    return this.lacksMemory === true ? "memory" : "browsers"
  }
}

/** A launch that waits for room in place of failing. Its callbacks run synchronously. */
export interface LaunchWait {
  /** Maximum time in the queue; the pool's own limit by default. */
  readonly within?: Duration.Input
  /** Time that it has waited at other nodes, for the sentence of its failure; 0 by default. */
  readonly waited_ms?: number
  /**
   * Receives the reason why there is no room, and its position in the queue, counted from 1: as soon as it waits, and
   * again from time to time.
   */
  readonly onRefused: (full: LaunchFailed, position: number) => void
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
    /** Maximum time in the queue of a launch without a limit of its own, in milliseconds; no limit unless given. */
    readonly queueTimeout_ms?: number
    /** For how long a browser may run, in milliseconds; no limit unless given. The pool stops it then. */
    readonly lifetime_ms?: number
    /** True if its browsers start with a browser's profile. Without it, no browser has one. */
    readonly usesProfiles?: boolean
    /** The countries with a proxy, as two capital letters; each is launched unless given. */
    readonly countries?: ReadonlyArray<string>
  }
>()("@webagent/engine/BrowserPool") {}
