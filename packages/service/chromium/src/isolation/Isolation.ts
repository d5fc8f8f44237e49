import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Egress } from "../egress/Egress.ts"
import { start, type StartOptions } from "../process/BrowserProcess.ts"
import { prlimit, Sandbox } from "../sandbox/Sandbox.ts"

/**
 * Isolation levels of browsers, the strongest first. `namespaces`: own mounts, network and processes, with Chromium's
 * sandbox inside. `chromium`: Chromium's sandbox, which protects the machine from pages, but not from the client that
 * controls the browser. `none`: no isolation.
 */
export const levels = ["namespaces", "chromium", "none"] as const
export type Level = (typeof levels)[number]

/** Isolation of browsers on this machine. */
export interface Isolation {
  readonly level: Level
  /** Explanation for the operator, for the server's banner and its health. */
  readonly sentence: string
  /** Start a browser with Chromium's own sandbox. */
  readonly chromiumSandbox: boolean
  readonly sandbox: Layer.Layer<Sandbox>
}

/** Browsers cannot be kept apart as they have to be. The message says what to do. */
export class IsolationError extends Data.TaggedError("IsolationError")<{ readonly message: string }> {}

/** The browser to start for a try, and the lowest level to accept: `namespaces` unless given. */
export interface ProbeOptions extends Pick<StartOptions, "binary" | "runtime" | "user"> {
  readonly atLeast?: Level
}

/** Warning about a limit that namespaces provide but that is unavailable on this machine. */
const unlimited =
  prlimit === undefined
    ? " The number of its processes is not limited: that takes prlimit (package util-linux) and Linux 5.14 or later."
    : ""

const sentences: Readonly<Record<Level, (why: string) => string>> = {
  namespaces: () =>
    `Each browser has files, processes and a network of its own, and reaches public addresses only.${unlimited}`,
  chromium: (why) =>
    `Browsers share this machine's files and network: a client with a cdpUrl can read every file that the browser's user can read. ` +
    `Run the server in a container that holds nothing else. No namespaces: ${why}`,
  none: (why) =>
    `Pages run without Chromium's sandbox: a page that breaks out of its browser is on this machine. ` +
    `Run the server in a container that holds nothing else. No sandbox: ${why}`
}

/** Names the missing part, by the reason why no browser starts. */
const cureFor = (why: string): string => {
  if (why.includes("not installed")) return "Install the package bubblewrap"
  // a container hides parts of it, and then the kernel refuses another mount of it
  if (why.includes("mount proc")) {
    return "Let the container mount /proc (systempaths=unconfined in Docker, procMount: Unmasked in Kubernetes)"
  }
  return "Let users make namespaces (in a container, with a seccomp profile that allows them)"
}

const remedies: Readonly<Record<Level, (why: string) => string>> = {
  namespaces: (why) => ` ${cureFor(why)}, or accept less with --min-isolation chromium or --min-isolation none.`,
  chromium: (why) => ` ${cureFor(why)}, or accept less with --min-isolation none.`,
  none: () => ""
}

/** A start of a machine that is busy takes its time, and is no reason to keep browsers less apart. */
const within = "2 minutes"

const started = ({ binary, runtime, user }: ProbeOptions, level: Level, sandbox: Layer.Layer<Sandbox>) =>
  start({
    binary,
    runtime,
    name: `probe-${level}`,
    chromiumSandbox: level !== "none",
    within,
    ...(user === undefined ? {} : { user })
  }).pipe(
    Effect.scoped,
    Effect.provide(sandbox),
    Effect.mapError(({ message }) => {
      if (message.includes("spawn bwrap ENOENT")) return "bubblewrap is not installed."
      // Chromium's own advice is a page long
      return message.replace(/No usable sandbox!.*/su, "this machine forbids user namespaces.")
    }),
    Effect.result
  )

/** Finds the most that can be had here, by starting a browser in it. */
export const probe = Effect.fnUntraced(function* (
  options: ProbeOptions
): Effect.fn.Return<Isolation, IsolationError, Egress> {
  const { atLeast = "namespaces" } = options
  const egress = yield* Egress
  let why = ""
  for (const level of levels) {
    const layer = level === "namespaces" ? Sandbox.layerBubblewrap : Sandbox.layerProxy
    const sandbox = Layer.provide(layer, Layer.succeed(Egress, egress))
    const tried = yield* started(options, level, sandbox)
    if (Result.isSuccess(tried)) {
      return { level, sentence: sentences[level](why), chromiumSandbox: level !== "none", sandbox }
    }
    why = tried.failure
    if (level === atLeast) {
      return yield* new IsolationError({
        message: `No browser starts with the isolation level ${level}: ${why.replace(/\.*$/u, ".")}${remedies[level](why)}`
      })
    }
  }
  return yield* new IsolationError({ message: `No browser starts: ${why}` })
})
