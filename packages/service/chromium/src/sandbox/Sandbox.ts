import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** A command that starts a browser, as it would be run without a sandbox. */
export interface BrowserCommand {
  readonly executable: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** The browser's own folder: profile, sockets and temporary files. It goes when the browser stops. */
  readonly folder: string
  /** The domains that it may reach; null for all public addresses. */
  readonly allowedDomains: ReadonlyArray<string> | null
  readonly proxyCountryCode: string | null
}

/** Where the browser's DevTools listen: a port of this machine's loopback, or a socket of its folder. */
export type DevTools =
  /** Chromium chooses the port and writes it into `DevToolsActivePort` of its profile. */
  { readonly _tag: "Loopback" } | { readonly _tag: "UnixSocket"; readonly path: string }

/** What to run in place of the browser's command. */
export interface SandboxedCommand extends Pick<BrowserCommand, "executable" | "args" | "env"> {
  readonly devTools: DevTools
  /** How many bytes the browser has sent and received so far; null where it is not counted. */
  readonly bytes: Effect.Effect<number | null>
}

/** A browser cannot be kept apart as asked. The message says what to do. */
export class SandboxError extends Data.TaggedError("SandboxError")<{ readonly message: string }> {}

/** What stands between a browser and the machine. */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** `namespaces`: mounts and network of its own. `none`: the files and the network of the server's user. */
    readonly kind: "namespaces" | "none"
    /** Prepares a sandbox for one browser; what surrounds it goes with the scope. */
    readonly enter: (command: BrowserCommand) => Effect.Effect<SandboxedCommand, SandboxError, Scope.Scope>
  }
>()("@webagent/chromium/Sandbox") {
  /** No sandbox: the container around the server, if there is one, is the only boundary. */
  static readonly layerNone: Layer.Layer<Sandbox> = Layer.succeed(Sandbox, {
    kind: "none",
    enter: ({ args, env, executable }) =>
      Effect.succeed({ args, env, executable, devTools: { _tag: "Loopback" }, bytes: Effect.succeed(null) })
  })
}
