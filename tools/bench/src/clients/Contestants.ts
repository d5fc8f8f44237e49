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
  readonly module: (modules: Modules) => string
  readonly isOurs: boolean
}

const ours = (name: string, title: string): Contestant => ({
  name,
  title: () => `**ours**, ${title}`,
  module: (modules) => modules.ours,
  isOurs: true
})

/** The name of one of our clients in another version. */
export const earlierName = (name: string): string => `${name}-before`

/** Puts each of our clients in another version behind the same client in this one. */
export const withEarlier = (
  contestants: ReadonlyArray<Contestant>,
  earlier: { readonly commit: string; readonly ours: string } | undefined
): ReadonlyArray<Contestant> =>
  contestants.flatMap((each) => {
    if (earlier === undefined || !each.isOurs) return [each]
    const title = (modules: Modules) => `${each.title(modules)}, ${earlier.commit}`
    return [each, { ...each, title, name: earlierName(each.name), module: () => earlier.ours }]
  })

const peer = (name: string, title: Contestant["title"]): Contestant => ({
  name,
  title,
  module: ({ installed }) => join(installed, `client-${name}.mjs`),
  isOurs: false
})

const browserUse = peer("browser-use", ({ installed }) => `browser-use-sdk ${versionOf(installed, "browser-use-sdk")}`)

/** Who calls, in the order of the report. */
export const callers: ReadonlyArray<Contestant> = [
  ours("effect-undici", "Effect"),
  ours("promise-undici", "promises"),
  peer("raw-undici", ({ installed }) => `undici ${versionOf(installed, "undici")} by hand`),
  ours("effect-fetch", "Effect"),
  ours("promise-fetch", "promises"),
  browserUse,
  peer("raw-fetch", () => "fetch by hand")
]

/** Who waits. */
export const waiters: ReadonlyArray<Contestant> = [
  ours("effect-undici", "Effect"),
  ours("promise-undici", "promises"),
  browserUse
]

/** The same with a thousand polls a second in place of 50. */
export const wideWaiter = ours("effect-undici-wide", "Effect, 1,000 polls a second")
