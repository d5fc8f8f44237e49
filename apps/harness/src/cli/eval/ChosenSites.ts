import { missing, usage } from "@webagent/cli/UserError"
import { Spelling } from "@webagent/control"
import * as MiniWoB from "@webagent/eval/MiniWoB"
import type { Site } from "@webagent/eval/sites/Site"
import { sites as ownSites } from "@webagent/eval/Sites"
import * as Effect from "effect/Effect"

const miniwob = "miniwob"
const kindPrefix = `${miniwob}:`

const unknown = (what: string, name: string, all: ReadonlyArray<string>) => {
  const meant = Spelling.meant(name, all)
  return usage(
    `There is no ${what} "${name}".${meant === undefined ? ` Use some of: ${all.join(", ")}.` : ` Did you mean ${meant}?`}`
  )
}

const install = "Install it with pip install miniwob==1.1.0, or name the folder of the package with --miniwob DIR."

/** The site of MiniWoB++ with the chosen kinds, or with all if none is chosen. */
const miniwobOf = Effect.fnUntraced(function* (kinds: ReadonlyArray<string>, folder: string | undefined) {
  const root = yield* Effect.mapError(MiniWoB.find(folder), (error) =>
    error.folder === undefined
      ? missing(`MiniWoB++ is not installed in the Python on the PATH. ${install}`)
      : missing(`${error.folder} does not have the pages of MiniWoB++. ${install}`)
  )
  const all = MiniWoB.kindsOf(root)
  const odd = kinds.find((kind) => !all.includes(kind))
  if (odd !== undefined) return yield* unknown("kind of MiniWoB++", odd, all)
  return MiniWoB.site(root, kinds.length === 0 ? all : all.filter((kind) => kinds.includes(kind)))
})

/**
 * The sites that the user named, or all sites of the harness.
 *
 * @param names - Names of sites, `miniwob`, and kinds of MiniWoB++ as `miniwob:KIND`.
 * @param folder - The folder of MiniWoB++; with a folder and without names, it's evaluated as well.
 */
export const choose = Effect.fnUntraced(function* (names: ReadonlyArray<string>, folder: string | undefined) {
  const all = [...ownSites.map(({ name }) => name), miniwob]
  const odd = names.find((name) => !all.includes(name) && !name.startsWith(kindPrefix))
  if (odd !== undefined) return yield* unknown("site", odd, all)
  const own = names.length === 0 ? ownSites : ownSites.filter(({ name }) => names.includes(name))
  const kinds = names.flatMap((name) => (name.startsWith(kindPrefix) ? [name.slice(kindPrefix.length)] : []))
  const isWhole = names.includes(miniwob) || (names.length === 0 && folder !== undefined)
  if (!isWhole && kinds.length === 0) return own
  const pages: Site = yield* miniwobOf(isWhole ? [] : kinds, folder)
  return [...own, pages]
})
