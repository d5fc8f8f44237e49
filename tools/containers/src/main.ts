/**
 * Builds the container images and runs them: `npm run test:containers`. Prints what passed, what failed, and what this
 * machine can't run. Flags: `--minutes N` (10 unless given), `--strict` (a skipped part is a failure), `--keep` (the images
 * stay), `--record` (the README and `tools/workspace/STATUS.md` show what passed), and the names of the parts to run.
 */
import { parseArgs } from "node:util"
import { baseImages, type BaseImages } from "./BaseImages.ts"
import { testCluster } from "./cluster.ts"
import { testNodes, testOneServer } from "./compose.ts"
import { findEngine, imagesOf, need, run } from "./Engine.ts"
import { harnessImages, makeImages, resolveArm, type RunWithEngine, serverImages } from "./images.ts"
import { testBrowsers, testHarness, testServer } from "./programs.ts"
import { exitCodeOf, Lacking, lineOf, type Part, runParts, summaryOf } from "./Report.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "10" },
    strict: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    record: { type: "boolean", default: false }
  }
})

const lookup = await findEngine()

let base: Promise<BaseImages> | undefined

/** A part that needs a container engine. */
const contained = (lane: string, name: string, after: ReadonlyArray<string>, run: RunWithEngine): Part => ({
  name,
  lane,
  after,
  run: async (signal) => {
    if ("missing" in lookup) throw new Lacking(lookup.missing)
    base ??= baseImages(lookup, signal)
    return run(lookup, await base, signal)
  }
})

/** Docker builds a stage once for two images that need it at the same time; podman builds it for each. */
const sharesStages = !("missing" in lookup) && lookup.name === "docker"

// the parts that wait for servers run while the harness's images are built
const parts: ReadonlyArray<Part> = [
  contained("servers", "server images", [], makeImages(serverImages)),
  contained("harness", "harness images", sharesStages ? [] : ["server images"], makeImages(harnessImages)),
  contained("servers", "server", ["server images"], (engine, _, signal) => testServer(engine, signal)),
  contained("servers", "browsers", ["server images"], (engine, _, signal) => testBrowsers(engine, signal)),
  contained("servers", "one server", ["server images"], (engine, _, signal) => testOneServer(engine, signal)),
  contained("servers", "three nodes", ["server images"], testNodes),
  contained("harness", "harness", ["server images", "harness images"], (engine, _, end) => testHarness(engine, end)),
  contained("harness", "arm64", [], resolveArm),
  { name: "Kubernetes API (no pods)", lane: "Kubernetes", after: [], run: testCluster }
]

const unknown = positionals.find((name) => !parts.some((part) => part.name === name))
if (unknown !== undefined || !(Number(values.minutes) > 0)) {
  const names = parts.map(({ name }) => `"${name}"`).join(", ")
  process.stderr.write(
    unknown === undefined
      ? `--minutes must be a number, not "${values.minutes}".\n`
      : `No part named "${unknown}". There are: ${names}.\n`
  )
  process.exit(2)
}

const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
// a part that was not chosen counts as passed before
const names = new Set(chosen.map(({ name }) => name))
/** True for the name of an image that these tests build; others may appear on the same engine meanwhile. */
const isOurs = (image: string) => /^(?:localhost\/)?webagent[-/:]/u.test(image)
const imagesBefore = "missing" in lookup ? new Set<string>() : await imagesOf(lookup)
const interrupted = new AbortController()
// more than once, because npm forwards the Ctrl-C of a terminal
for (const name of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.on(name, () => interrupted.abort())
const results = await runParts(
  chosen.map((part) => ({ ...part, after: part.after.filter((name) => names.has(name)) })),
  {
    limit_s: Number(values.minutes) * 60,
    signal: interrupted.signal,
    onResult: (result) => process.stdout.write(`${lineOf(result)}\n`)
  }
)
if (!("missing" in lookup) && (names.has("server images") || names.has("harness images")) && !values.keep)
  for (const image of await imagesOf(lookup))
    if (!imagesBefore.has(image) && isOurs(image)) await run([lookup.name, "image", "rm", "--force", image])
if (values.record)
  for (const result of results)
    if (result._tag === "Passed") await need([process.execPath, "tools/workspace/status.ts", result.part, result.facts])
process.stdout.write(`\n${summaryOf(results)}\n`)
process.exit(exitCodeOf(results, values.strict))
