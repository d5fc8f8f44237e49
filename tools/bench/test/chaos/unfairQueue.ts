/**
 * Plants bugs in the queue of a server that is started with `--import` of this file: each line serves its newest launch
 * first, and a pool has a place more than its limit.
 */
import { registerHooks } from "node:module"

/** The code with which each bug replaces the code of a module. */
const bugs = [
  {
    module: "/engine/src/Lines.ts",
    right: "const [first] = line ?? []",
    wrong: "const first = [...(line ?? [])].at(-1)"
  },
  { module: "/engine/src/BrowserPlaces.ts", right: "taken >= most", wrong: "taken > most" }
]

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    const bug = bugs.find(({ module }) => url.endsWith(module))
    if (bug === undefined) return loaded
    const source = String(loaded.source)
    if (!source.includes(bug.right)) throw new Error(`${url} has no "${bug.right}" in which to plant a bug`)
    return { ...loaded, source: source.replace(bug.right, bug.wrong) }
  }
})
