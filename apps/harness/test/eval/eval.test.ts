import { assert, describe, it } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as AgentServer from "../../src/cli/eval/AgentServer.ts"
import * as EventLog from "../../src/run/events/EventLog.ts"
import { begin, call } from "../cli/inProcess.ts"
import { run } from "../cli/program.ts"
import { evaluated, folder, inspectLog } from "./evaluated.ts"
import * as MiniWoBPages from "./MiniWoBPages.ts"
import * as RulesModel from "./RulesModel.ts"
import { obeys } from "./rules/SiteRules.ts"

/** Kinds that use most of the agent's tools: clicks, keys, fields, selects, drags, scrolling and canvases. */
const someKinds = ["choose-date", "drag-sort-numbers", "email-inbox", "scroll-text", "use-slider"]

const provided = Effect.provide(ScriptedModel.layer)

describe("eval", () => {
  it.live(
    `evaluates rules on every site${MiniWoBPages.hint}, and writes a report and a log for Inspect`,
    () =>
      Effect.gen(function* () {
        const miniwob = MiniWoBPages.folder()
        const kinds = miniwob === undefined ? [] : [...someKinds.map((kind) => `miniwob:${kind}`), "--miniwob", miniwob]
        const sites = ["shop", "mail", "tickets", "tables", "long-form", "sign-in", "files", "injection"]
        const model = RulesModel.make()
        const {
          code,
          failed,
          inspect: log,
          report,
          results,
          said
        } = yield* evaluated(model, ...sites, ...kinds, "--require", "1")
        assert.deepStrictEqual(failed, [], [...model.errors().values(), said].join("\n"))
        assert.strictEqual(code, 0, said)
        assert.isAtLeast(results.length, 11)
        assert.match(said, /^all\s+\d+ of \d+\s+100 %/mu)
        assert.strictEqual(log.results.scores[0].metrics.accuracy.value, 1)
        assert.strictEqual(log.samples.length, results.length)
        assert.match(log.samples[0].input, /^Open http:/u)
        // the agent's steps, although every trial passed
        for (const { events, id, messages } of log.samples) {
          assert.isAbove(messages.length, 1, id)
          assert.strictEqual(events.length, messages.length, id)
        }
        assert.notStrictEqual(report.cost_usd, "0")
      }).pipe(provided),
    120_000
  )

  it.live(
    "counts an agent that follows a page's instructions as a false success, and fails below the required rate",
    () =>
      Effect.gen(function* () {
        const bad = yield* evaluated(RulesModel.make(obeys), "injection", "--require", "0.5")
        const { code, results, said } = bad
        assert.strictEqual(code, 1, said)
        const [trial] = results.flatMap(({ trials }) => trials)
        assert.strictEqual(trial?.verdict, "claimed", said)
        assert.include(trial?.failure?.actual ?? "", '"deleted":true')
        assert.notProperty(trial?.failure, "where")
        assert.include(said, "The success rate 0 % is below the required 50 %.")
        assert.match(said, /eval injection --name .* --model openai-compatible:rules .*--seed 1/u)
        // not the address of the server, which differs between runs: nights of one model are compared
        assert.strictEqual(bad.report.header.target.address, "openai-compatible:rules")
        // as if it had been killed after its start
        const started = { at: bad.report.header.startedAt, _tag: "RunStarted", header: bad.report.header }
        writeFileSync(join(bad.directory, EventLog.fileName), `${JSON.stringify(started)}\n`)
        const resumed = yield* Effect.promise(() => call(["run", "--resume", bad.directory]))
        assert.match(
          resumed.stderr,
          /is an evaluation, which can't be resumed .* -- eval injection --require 0\.5 .*\n$/u
        )
        assert.strictEqual(resumed.code, 2)
        const good = yield* evaluated(RulesModel.make(), "injection")
        const compared = yield* Effect.promise(() => call(["compare", bad.directory, good.directory, "--json"]))
        assert.strictEqual(JSON.parse(compared.stdout).pairs, 1, compared.stderr)
      }).pipe(provided),
    60_000
  )

  it.live(
    "prints the figures and writes the log of a stopped evaluation",
    () =>
      Effect.gen(function* () {
        const scripted = yield* ScriptedModel
        // a model that never answers
        scripted.script = () => new Promise(() => {})
        const directory = yield* folder
        const url = scripted.baseUrl["openai-compatible"]
        const words = ["--model=openai-compatible:slow", `--model-url=${url}`, "--server-flag=min-isolation=none"]
        const begun = begin(["eval", "files", ...words, `--report-dir=${directory}`, "--reporter=console,json"])
        yield* Effect.repeat(Effect.sleep("50 millis"), { until: () => scripted.requests.length > 0 })
        begun.stop()
        const { code, stdout } = yield* Effect.promise(() => begun.ended)
        assert.strictEqual(code, 130, stdout)
        assert.match(stdout, /^files\s+0 of 0/mu)
        assert.strictEqual(inspectLog(directory).status, "cancelled")
      }).pipe(provided),
    60_000
  )
})

describe("mistakes with eval", () => {
  const refused = (words: ReadonlyArray<string>, sentence: string | RegExp, code = 2) =>
    it(`${words.join(" ") || "no flags"}: ${String(sentence)}`, async () => {
      const ended = await call(["eval", ...words])
      const { stderr } = ended
      if (typeof sentence === "string") assert.include(stderr, sentence)
      else assert.match(stderr, sentence)
      assert.strictEqual(ended.code, code, stderr)
    })
  refused([], "Nothing to evaluate: name a model with --model")
  refused(["shopp", "--model", "openai:x"], "Did you mean shop?")
  refused(["--target", "https://agent.example", "--allow-paid"], "agent.example cannot reach them there")
  refused(["--target", "http://127.0.0.1:9"], "may cost money. Add --allow-paid")
  refused(["--target", "http://127.0.0.1:9", "--model-url", "http://127.0.0.1:9"], "--model-url is for the server")
  refused(
    ["--target", "https://agent.example", "--allow-paid", "--sites-url", "https://tunnel.example"],
    "Add --sites-port PORT"
  )
  refused(["miniwob", "--model", "openai:x", "--miniwob", "/nowhere"], "does not have the pages of MiniWoB++", 4)
  refused(["shop", "--model", "openai:x"], /webagent-server cannot start\. .*WEBAGENT_MODEL_KEY/su)
  refused(["shop", "--model", "openai:x", "--server-flag", "no-such-flag"], "--no-such-flag")

  refused(
    ["shop", "--model", "openai-compatible:x", "--server-flag", "help"],
    "webagent-server cannot start. It exited with code 0 before it listened. Check --server-flag help."
  )
  refused(["shop", "--model", "openai:x", "--sites-url", "https://tunnel.example"], "Add --sites-port PORT")

  it.effect("doesn't wait forever for a server that doesn't listen", () =>
    Effect.gen(function* () {
      const options = { model: "openai-compatible:x", modelUrl: undefined, modelPrice: undefined, sitesPort: 1 }
      const start = AgentServer.start({ ...options, serverFlags: ["min-isolation=none"] })
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.scoped(start)))
      while (fiber.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 minute")
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      }
      const { message } = yield* Fiber.join(fiber)
      assert.strictEqual(
        message,
        "webagent-server cannot start. It didn't listen within 2 minutes. Check --server-flag min-isolation=none."
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it("prints the server's sentence about a missing Chromium", async () => {
    const words = ["eval", "files", "--model=openai-compatible:x", "--server-flag=min-isolation=none"]
    const { code, stderr } = await run(words, { WEBAGENT_CHROMIUM: "/nowhere/chrome" })
    assert.match(stderr, /^webagent-server cannot start\. .*\/nowhere\/chrome/mu)
    assert.strictEqual(code, 2, stderr)
  }, 60_000)

  it.runIf(MiniWoBPages.folder() !== undefined)("suggests a known kind of MiniWoB++ for an unknown one", async () => {
    const { code, stderr } = await call([
      "eval",
      "miniwob:click-tset",
      "--model",
      "openai:x",
      "--miniwob",
      MiniWoBPages.folder() ?? ""
    ])
    assert.deepStrictEqual([code, stderr.includes("Did you mean click-test?")], [2, true], stderr)
  })
})
