import { join } from "node:path"
import { versionOf } from "../measure/PeerInstall.ts"

/** Locations of the modules that a client process loads. */
export interface Modules {
  /** The folder of the peers. */
  readonly installed: string
  /** Our clients, bundled. */
  readonly ours: string
}

/** A client under measurement. */
export interface Contestant {
  readonly name: string
  readonly title: (modules: Modules) => string
  readonly http: "undici" | "fetch"
  readonly module: (modules: Modules) => string
}

const ours = (name: string, title: string, http: Contestant["http"]): Contestant => ({
  name,
  title: () => `**ours**, ${title}`,
  http,
  module: (modules) => modules.ours
})

const peer = (name: string, title: Contestant["title"], http: Contestant["http"]): Contestant => ({
  name,
  title,
  http,
  module: ({ installed }) => join(installed, `client-${name}.mjs`)
})

const browserUse = peer(
  "browser-use",
  ({ installed }) => `browser-use-sdk ${versionOf(installed, "browser-use-sdk")}`,
  "fetch"
)

/** Who calls, in the order of the report. */
export const callers: ReadonlyArray<Contestant> = [
  ours("effect-undici", "Effect", "undici"),
  ours("promise-undici", "promises", "undici"),
  peer("raw-undici", ({ installed }) => `undici ${versionOf(installed, "undici")} by hand`, "undici"),
  ours("effect-fetch", "Effect", "fetch"),
  ours("promise-fetch", "promises", "fetch"),
  browserUse,
  peer("raw-fetch", () => "fetch by hand", "fetch")
]

/** Who waits. */
export const waiters: ReadonlyArray<Contestant> = [
  ours("effect-undici", "Effect", "undici"),
  ours("promise-undici", "promises", "undici"),
  browserUse
]

/** The same with a thousand polls a second in place of 50. */
export const wideWaiter = ours("effect-undici-wide", "Effect, 1,000 polls a second", "undici")
