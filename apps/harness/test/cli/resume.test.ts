import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Control, Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as EventLog from "../../src/run/events/EventLog.ts"
import { RunReport } from "@webagent/report/RunReport"
import * as InterruptedTrialsText from "@webagent/findings/words/InterruptedTrialsText"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import { call } from "./inProcess.ts"
import { start } from "./program.ts"

const key = "wak_resume_key"
const suite = "test/cli/killed.suite.ts"
// how many trials the suite has: 8 scenarios, 6 times each
const trials = 48
const kills = Number(process.env["WEBAGENT_KILLS"] ?? 10)
const seed = Number(process.env["WEBAGENT_KILL_SEED"] ?? 1)

const report = (directory: string) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(RunReport))(readFileSync(join(directory, "report.json"), "utf8"))

/** What became of each trial, by scenario. */
const verdicts = ({ results }: RunReport) =>
  results.map(({ name, trials }) => [name, ...trials.map(({ index, verdict }) => `${index} ${verdict}`)])

/** How many events of a kind are in the file. */
const written = (directory: string, tag: string): number => {
  const path = join(directory, EventLog.fileName)
  return existsSync(path) ? readFileSync(path, "utf8").split(`"_tag":"${tag}"`).length - 1 : 0
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A moment in the life of a process: a time after it has said what it does, or after a number of trials. */
interface Moment {
  readonly trials: number | undefined
  readonly delay_ms: number
}

/** Kills a process at a moment; answers whether it was still there to be killed. */
const killAt = async (process: ReturnType<typeof start>, directory: string, { delay_ms, trials }: Moment) => {
  const over = new AbortController()
  void process.ended.then(() => over.abort())
  const begun = written(directory, "RunStarted")
  const before = written(directory, "TrialFinished")
  const hasCome = (): boolean =>
    written(directory, "RunStarted") > begun && written(directory, "TrialFinished") >= before + (trials ?? 0)
  if (trials === undefined) await Promise.race([process.says(" · "), process.ended])
  else while (!over.signal.aborted && !hasCome()) await pause(4)
  await pause(delay_ms)
  process.signal("SIGKILL")
  const { code, stderr } = await process.ended
  if (code !== null && code > 1) throw new Error(`it ended with ${code}: ${stderr}`)
  return code === null
}

const open = Effect.gen(function* () {
  const { browsers, turns } = yield* (yield* Control).open
  return browsers.length + turns.length
})

/** What still runs comes to its end by itself; browsers do not. */
const settled = (looks: number): Effect.Effect<number, never, Control> =>
  Effect.flatMap(open, (count) =>
    count === 0 || looks === 0 ? Effect.succeed(count) : Effect.andThen(Effect.sleep("20 millis"), settled(looks - 1))
  )

const until = (isSo: Effect.Effect<boolean, never, Control>): Effect.Effect<void, never, Control> =>
  Effect.flatMap(isSo, (so) => (so ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(isSo))))

/** A service that makes the second browser, and does not answer. */
const silent = Layer.merge(
  SimulatedService.layer({
    apiKeys: [key],
    faults: [
      { fault: { kind: "hang", placement: "after-apply" }, when: { operations: ["v4.createBrowser"], nth: [2] } }
    ]
  }),
  NodeFileSystem.layer
)

const services = Layer.merge(SimulatedService.layer({ apiKeys: [key] }), NodeFileSystem.layer)

describe("run --resume", () => {
  it.live(
    `counts nothing twice, loses nothing and leaves nothing running after ${kills} kills at random moments`,
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { address } = yield* Server
        const folder = yield* fs.makeTempDirectoryScoped()
        const env = { WEBAGENT_API_KEY: key }
        const args = (directory: string) =>
          ["run", suite, "--target", address, "--concurrency", "4", "--report-dir", directory] as const

        const whole = join(folder, "whole")
        assert.strictEqual((yield* Effect.promise(() => call(args(whole), env))).code, 1)
        const wanted = verdicts(report(whole))

        /** One run, killed and taken up again until it has come to its end; answers how often it was killed. */
        const story = Effect.fnUntraced(function* (name: string, most: number) {
          const directory = join(folder, name)
          let killed = 0
          while (killed < most) {
            const isEarly = (yield* Random.next) < 0.2
            const moment = {
              trials: isEarly ? undefined : yield* Random.nextIntBetween(0, 8),
              delay_ms: yield* Random.nextIntBetween(0, 40)
            }
            const words = written(directory, "RunStarted") > 0 ? ["run", "--resume", directory] : args(directory)
            if (!(yield* Effect.promise(() => killAt(start(words, env), directory, moment)))) break
            killed++
          }
          if (!existsSync(join(directory, "report.json"))) {
            const last = yield* Effect.promise(() => call(["run", "--resume", directory], env))
            assert.strictEqual(last.code, 1, last.stderr)
          }

          const resumed = report(directory)
          assert.deepStrictEqual(verdicts(resumed), wanted)
          assert.isAtMost(resumed.header.resumed?.length ?? 0, killed)
          const events = yield* EventLog.read(join(directory, EventLog.fileName))
          const finished = events.flatMap(({ event }) =>
            event._tag === "TrialFinished" ? [`${event.scenario} ${event.trial.index}`] : []
          )
          assert.strictEqual(finished.length, trials)
          assert.strictEqual(new Set(finished).size, trials)
          return killed
        })

        const halves = [Math.ceil(kills / 2), Math.floor(kills / 2)]
        yield* Effect.forEach(
          halves,
          Effect.fnUntraced(function* (wanted, half) {
            let killed = 0
            for (let round = 0; killed < wanted; round++) killed += yield* story(`${half}-${round}`, wanted - killed)
          }),
          { concurrency: 2 }
        )
        assert.strictEqual(yield* settled(100), 0)
      }).pipe(Random.withSeed(seed), Effect.scoped, Effect.provide(services)),
    Math.max(600_000, kills * 30_000)
  )

  it.live("stops the browser of a raw request and one whose create got no response", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { address } = yield* Server
      const folder = yield* fs.makeTempDirectoryScoped()
      const file = join(folder, "holding.suite.ts")
      // the first time it holds on to what it has made, later it makes nothing
      yield* fs.writeFileString(
        file,
        `import { check, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import { existsSync, writeFileSync } from "node:fs"
export default Suite.make("holding", [
  scenario("holds", { timeout: "5 minutes" }, function* ({ request, v4 }) {
    if (!existsSync("${folder}/held")) {
      yield* request("v4", { method: "POST", path: "/browsers", body: {} })
      writeFileSync("${folder}/held", "")
      yield* v4.browsers.create()
    }
    yield* check.isTrue(true)
  })
])
`
      )
      const directory = join(folder, "report")
      const env = { WEBAGENT_API_KEY: key }
      const running = start(["run", file, "--target", address, "--report-dir", directory], env)
      // the second is there, and its answer never comes
      yield* until(Effect.map(open, (count) => count === 2))
      running.signal("SIGKILL")
      yield* Effect.promise(() => running.ended)
      assert.strictEqual(yield* open, 2)
      const { code, stderr, stdout } = yield* Effect.promise(() => call(["run", "--resume", directory], env))
      assert.deepStrictEqual([code, stderr], [0, ""], stdout)
      assert.include(stdout, "leftovers: 2 browsers stopped\n")
      assert.strictEqual(yield* open, 0)
    }).pipe(Effect.scoped, Effect.provide(silent))
  )

  it.live("charges an interrupted trial its declared budget, and the report mentions it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { address } = yield* Server
      const folder = yield* fs.makeTempDirectoryScoped()
      const file = join(folder, "paying.suite.ts")
      // the second trial hangs when its run is over
      yield* fs.writeFileString(
        file,
        `import { check, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import { existsSync, writeFileSync } from "node:fs"
export default Suite.make("paying", [
  scenario("pays", { needs: ["money"], trials: 3, budget: "30 USD", timeout: "5 minutes" }, function* ({ simulate, v4 }) {
    const run = yield* v4.runs.createAndWait({ task: simulate("Buy", { outcome: "completed", duration: "5ms" }) })
    yield* check.equal(run.status, "completed")
    if (!existsSync("${folder}/first")) return writeFileSync("${folder}/first", "")
    if (existsSync("${folder}/held")) return
    writeFileSync("${folder}/held", "")
    yield* Effect.never
  })
])
`
      )
      const directory = join(folder, "report")
      const env = { WEBAGENT_API_KEY: key }
      const args = ["run", file, "--target", address, "--concurrency", "1", "--report-dir", directory]
      const running = start(args, env)
      while (!existsSync(join(folder, "held"))) yield* Effect.sleep("5 millis")
      running.signal("SIGKILL")
      yield* Effect.promise(() => running.ended)
      const { code, stderr, stdout } = yield* Effect.promise(() => call(["run", "--resume", directory], env))
      assert.deepStrictEqual([code, stderr], [0, ""], stdout)
      const { header, results } = report(directory)
      assert.deepStrictEqual(
        header.resumed?.map(({ cut }) => cut),
        [{ trials: 1, most_usd: "10" }]
      )
      const unknown = InterruptedTrials.of(report(directory))
      assert.isDefined(unknown)
      assert.include(stdout, `charged  ${InterruptedTrialsText.text(unknown)}\n`)
      assert.strictEqual(results[0]?.trials.length, 3)
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it("refuses a run that can't be resumed with one sentence and exit code 2", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-resume-"))
    const file = join(folder, "changing.suite.ts")
    const write = (sum: number) =>
      writeFileSync(
        file,
        `import { check, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
export default Suite.make("changing", [
  scenario("adds up", function* () { yield* check.equal(1 + 1, ${sum}) }),
  scenario("goes on", function* () { yield* Effect.never })
])
`
      )
    write(2)
    const directory = join(folder, "report")
    const running = start(["run", file, "--concurrency", "1", "--report-dir", directory])
    while (written(directory, "TrialFinished") < 1) await pause(5)
    const inUse = await call(["run", "--resume", directory])
    running.signal("SIGKILL")
    await running.ended
    write(3)
    const changed = await call(["run", "--resume", directory])
    const nothing = await call(["run", "--resume", folder])
    const more = await call(["run", "--resume", directory, "--seed", "2"])
    rmSync(folder, { recursive: true })
    assert.deepStrictEqual([inUse.code, changed.code, nothing.code, more.code], [2, 2, 2, 2])
    assert.match(inUse.stderr, /^The run in \S+ still works in process \d+\. Wait for its end, or stop it\.\n$/u)
    assert.match(changed.stderr, /^The scenarios have changed since the run in \S+ was killed\. .+\n$/u)
    assert.match(nothing.stderr, /^There is no run to resume in \S+: \S+events\.ndjson does not exist\.\n$/u)
    assert.strictEqual(
      more.stderr,
      "--resume takes only the folder of a run. The run continues with the flags it began with.\n"
    )
  })
})
