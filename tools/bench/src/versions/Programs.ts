/** The programs of a version that are measured, each as one file. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundle, bundleServer, serverIn, written } from "../measure/Bundle.ts"

/** Campaigns of simulated worlds, by name: the module that lives through a seed, and a script that uses it. */
const campaigns = {
  // clients against the simulated service
  worlds: {
    folder: "packages/testing/conformance/test/simulation",
    script: `import * as Campaign from "./Campaign.ts"
const live = (from, seeds) => Campaign.run({ from, seeds, rate: 0.038 })
const outcomeOf = ({ worlds, broken, ends, faults, requests, virtual_ms }) =>
  ({ worlds, broken, ends: [...ends].toSorted(), faults: [...faults].toSorted(), requests, virtual_ms })`
  },
  // nodes of the engine on one store
  engines: {
    folder: "packages/service/engine/test/chaos",
    script: `import { live as liveIn } from "./Chaos.ts"
import * as World from "./World.ts"
Error.stackTraceLimit = 0
const live = (from, seeds) =>
  Effect.forEach(Array.from({ length: seeds }, (_, index) => from + index), (seed) => liveIn(World.make(seed)))
const outcomeOf = (wrong) => wrong`
  }
} as const

/** A campaign of simulated worlds. */
export type CampaignName = keyof typeof campaigns

/** Lives through seeds and prints the CPU time that they took and their outcome, after a few seeds as a warm-up. */
const main = `
import * as Effect from "effect/Effect"
const [from, seeds, warmUp] = process.argv.slice(2).map(Number)
await Effect.runPromise(live(1, warmUp))
const began = process.cpuUsage()
const outcome = await Effect.runPromise(live(from, seeds))
const { system, user } = process.cpuUsage(began)
console.log(JSON.stringify({ cpu_s: (system + user) / 1e6, outcome: outcomeOf(outcome) }))
process.exit(0)`

const bundleCampaign = (into: string, source: string, name: CampaignName) => {
  const { folder, script } = campaigns[name]
  const entry = join(source, folder, "bench-campaign.mjs")
  return bundle(
    {
      input: entry,
      platform: "node",
      // the script is in no version: it is the same for all
      plugins: [written(entry, `${script}\n${main}`)]
    },
    { dir: join(into, name), entryFileNames: "main.mjs" }
  )
}

/** Bundles all programs of a version from its source. */
export const bundlePrograms = async (into: string, source: string): Promise<void> => {
  // without a type, Node parses each file twice to find out
  writeFileSync(join(into, "package.json"), JSON.stringify({ type: "module" }))
  await bundleServer(join(into, "server"), source)
  await bundle(
    { input: join(source, "apps", "harness", "src", "main.ts"), platform: "node" },
    { dir: join(into, "harness"), entryFileNames: "main.mjs" }
  )
  for (const name of ["worlds", "engines"] as const) await bundleCampaign(into, source, name)
}

/** The files of a version's programs in a folder of bundles. */
export const programsIn = (folder: string) => ({
  server: serverIn(join(folder, "server")),
  harness: join(folder, "harness", "main.mjs"),
  worlds: join(folder, "worlds", "main.mjs"),
  engines: join(folder, "engines", "main.mjs")
})

/** A version's programs. */
export type Programs = ReturnType<typeof programsIn>
