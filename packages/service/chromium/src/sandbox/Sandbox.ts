import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { Server } from "node:net"
import { release } from "node:os"
import { dirname, join } from "node:path"
import { Egress, type EgressError, type EgressProxy } from "../egress/Egress.ts"
import { devToolsPort, keeper, proxyPort } from "./keeper.ts"
import { node } from "./node.ts"

/** A command that starts a browser, as it would be run without a sandbox. */
export interface BrowserCommand {
  readonly executable: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** The browser's own folder: profile, sockets and temporary files. It goes when the browser stops. */
  readonly folder: string
  readonly proxyCountryCode: string | null
  /** Maximum number of processes and threads. */
  readonly tasks: number
}

/** Command that runs instead of the browser's own. */
export interface SandboxedCommand extends Pick<BrowserCommand, "executable" | "args" | "env"> {
  /** Serves the proxy of a browser with a network of its own, whose keeper hands over the listener; null without one. */
  readonly serve: ((listener: Server) => Effect.Effect<unknown, SandboxError>) | null
  /** Number of bytes that the browser has sent and received so far; null if it is not counted. */
  readonly bytes: Effect.Effect<number | null>
  /** Restricts what it may reach to these domains, from now on; null for all. */
  readonly allow: EgressProxy["allow"]
}

/** A browser cannot be kept apart as asked. The message says what to do. */
export class SandboxError extends Data.TaggedError("SandboxError")<{ readonly message: string }> {}

/** Flags that make Chromium send all traffic through a proxy, including requests to its own machine, and no UDP. */
const through = (port: number) => [
  `--proxy-server=http://127.0.0.1:${port}`,
  "--proxy-bypass-list=<-loopback>",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"
]

const bytesOf = ({ bytes }: EgressProxy) => Effect.map(bytes, ({ received, sent }) => received + sent)

const sandboxError = ({ message }: EgressError) => new SandboxError({ message })

/**
 * System paths that programs need. The rest of `/usr`, `/etc` and `/var` may contain files that a client must not read.
 */
const system = [
  ["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64"],
  ["/usr/share/fontconfig", "/usr/share/fonts", "/usr/share/mime", "/usr/share/X11", "/usr/share/zoneinfo"],
  ["/usr/share/chromium", "/usr/local/share/fonts", "/var/cache/fontconfig"],
  ["/etc/chromium", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"]
].flat()

/** Maximum size of a temporary file system, whose content is not counted as memory of a browser. */
const tmpfs_bytes = 64 * 1024 * 1024

/** True if a file belongs to a Chromium in addition to its program. */
const isPart = (name: string) =>
  /^(?:.+\.pak|(?:snapshot_blob|v8_context_snapshot)\.bin|icudtl\.dat|lib\w+\.so(?:\.\d+)*|vk_swiftshader_icd\.json)$/u.test(
    name
  ) || ["al2023", "chrome_crashpad_handler", "fonts", "locales"].includes(name)

/** Its parts, and nothing else of its folder: that may be the home of a user. */
const partsOf = (executable: string): ReadonlyArray<string> =>
  readdirSync(dirname(executable))
    .filter(isPart)
    .map((name) => join(dirname(executable), name))

/**
 * Program that sets the maximum number of tasks in the namespace, where the kernel counts those of one browser, from
 * Linux 5.14 on. Before that, and without namespaces, it counts all of the browsers' user, so no number fits. Undefined
 * if it isn't possible.
 */
export const prlimit: string | undefined = (() => {
  const [major = 0, minor = 0] = release().split(".").map(Number)
  const counts = major > 5 || (major === 5 && minor >= 14)
  return counts ? ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => existsSync(path)) : undefined
})()

/** The number of tasks that this server's own limit lets it set. */
const mostTasks = (): number => {
  const [, hard] = /^Max processes\s+\S+\s+(\d+)/mu.exec(readFileSync("/proc/self/limits", "latin1")) ?? []
  return Number(hard ?? Infinity)
}

/**
 * A command in namespaces of its own: of the system what it needs, its own folder, and a loopback interface. Its network
 * is the outer one's, where its keeper is, with files and processes that it does not see. Its signals are the launcher's
 * to send: it is in the launcher's process group, and ends with the launcher.
 */
const bubblewrap = ({ args, executable, folder, tasks }: BrowserCommand, node: string) => {
  const limited = prlimit === undefined ? [] : ["/prlimit", `--nproc=${Math.min(tasks, mostTasks())}`, "--"]
  return [
    ["--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/", "--chdir", folder],
    ["--", node, "--max-semi-space-size=1", "--eval", keeper, "--"],
    ["bwrap", "--unshare-all", "--share-net", "--die-with-parent", "--hostname", "browser"],
    system.flatMap((path) => ["--ro-bind-try", path, path]),
    ["--proc", "/proc", "--dev", "/dev"],
    ["/dev/shm", "/run", "/tmp"].flatMap((path) => ["--size", String(tmpfs_bytes), "--tmpfs", path]),
    ["--ro-bind", executable, executable],
    partsOf(executable).flatMap((path) => ["--ro-bind-try", path, path]),
    prlimit === undefined ? [] : ["--ro-bind", prlimit, "/prlimit"],
    ["--bind", folder, folder, "--chdir", folder, "--remount-ro", "/"],
    ["--", ...limited, executable, ...args, ...through(proxyPort), `--remote-debugging-port=${devToolsPort}`]
  ].flat()
}

/** Sandbox between a browser and the machine. */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** `namespaces`: mounts and network of its own. `none`: the files and the network of the server's user. */
    readonly kind: "namespaces" | "none"
    /** The countries that a browser may have its proxy in. */
    readonly countries: ReadonlyArray<string>
    /** Prepares a sandbox for one browser; what surrounds it goes with the scope. */
    readonly enter: (command: BrowserCommand) => Effect.Effect<SandboxedCommand, SandboxError, Scope.Scope>
  }
>()("@webagent/chromium/Sandbox") {
  /** No sandbox: the container around the server, if there is one, is the only boundary. */
  static readonly layerNone: Layer.Layer<Sandbox> = Layer.succeed(Sandbox, {
    kind: "none",
    countries: [],
    enter: ({ args, env, executable }) =>
      Effect.succeed({
        args,
        env,
        executable,
        serve: null,
        bytes: Effect.succeed(null),
        allow: () => Effect.void
      })
  })
  /**
   * A proxy and nothing else. Pages go through it; who drives the browser over CDP can make it connect past it, and can
   * read what its user may read.
   */
  static readonly layerProxy: Layer.Layer<Sandbox, never, Egress> = Layer.effect(
    Sandbox,
    Effect.map(Egress, (egress) => ({
      kind: "none",
      countries: egress.countries,
      enter: ({ args, env, executable, proxyCountryCode }) =>
        Effect.gen(function* () {
          const proxy = yield* egress.open(proxyCountryCode)
          const port = yield* proxy.listen()
          return {
            args: [...args, ...through(port)],
            env,
            executable,
            serve: null,
            bytes: bytesOf(proxy),
            allow: proxy.allow
          }
        }).pipe(Effect.mapError(sandboxError))
    }))
  )

  /**
   * Namespaces made by bubblewrap, for which the kernel must let users make them: no files but the browser's own, no
   * network but its proxy, no processes but its own.
   */
  static readonly layerBubblewrap: Layer.Layer<Sandbox, never, Egress> = Layer.effect(
    Sandbox,
    Effect.map(Egress, (egress) => ({
      kind: "namespaces",
      countries: egress.countries,
      enter: (command) =>
        Effect.map(Effect.mapError(egress.open(command.proxyCountryCode), sandboxError), (proxy) => ({
          executable: "bwrap",
          args: bubblewrap(command, node()),
          env: command.env,
          serve: (listener) => Effect.mapError(proxy.listen(listener), sandboxError),
          bytes: bytesOf(proxy),
          allow: proxy.allow
        }))
    }))
  )
}
