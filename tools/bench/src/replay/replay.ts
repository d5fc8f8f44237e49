import { BrowserAgent, ModelCost, Models } from "@webagent/agent"
import { Engine, IdSource, MemoryStore, StepCall, Turn } from "@webagent/engine"
import { type ModelMessage, ScriptedModel } from "@webagent/scripted-model"
import { pool } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type Heading, headingLine, inFolder, type Options, paragraphs, table } from "../measure/Report.ts"
import { withBrowser } from "../measure/WithBrowser.ts"

/** The result of the bench `replay`. */
interface ReplayReport extends Heading {
  readonly rounds: number
  readonly steps: number
  /** The time of each run, in milliseconds. */
  readonly model_ms: ReadonlyArray<number>
  readonly replay_ms: ReadonlyArray<number>
}

/** Time that the model takes for each response. */
const thinking_ms = 1000

/** Fields of the form. Opening it, sending it and ending the task are three more steps. */
const fields = 17

const form = `<form method=post>${Array.from({ length: fields }, (_, at) => `<p><label>Field ${at + 1} <input name=f${at + 1}></label></p>`).join("")}<button>Send</button></form>`

/** The site, and the forms that it received. */
const site = Effect.acquireRelease(
  Effect.callback<{ readonly close: () => void; readonly origin: string; readonly sent: Array<string> }>((resume) => {
    const sent: Array<string> = []
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (part: string) => (body += part))
      request.on("end", () => {
        if (request.method === "POST") sent.push(body)
        response.writeHead(200, { "content-type": "text/html" })
        response.end(`<!doctype html><meta charset=utf-8><body>${request.method === "POST" ? "<h1>Sent</h1>" : form}`)
      })
    })
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    server.listen(0, "127.0.0.1", () =>
      resume(Effect.succeed({ close, sent, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
    )
  }),
  ({ close }) => Effect.sync(close)
)

const call = (name: string, input: unknown): ModelMessage => ({
  calls: [{ name, input }],
  usage: { input: 900, output: 40 }
})

const numberOf = (shown: string, name: string) =>
  Number(new RegExp(String.raw`\[(\d+) \w+ "${name}"`, "u").exec(shown)?.[1])

const answerOf = (step: number, shown: string, origin: string): ModelMessage => {
  if (step === 1) return call("navigate", { url: origin })
  if (step <= fields + 1)
    return call("type", { index: numberOf(shown, `Field ${step - 1}`), text: `value ${step - 1}` })
  if (step === fields + 2) return call("click", { index: numberOf(shown, "Send") })
  return call("done", { success: true, output: "Sent" })
}

const ids = Layer.succeed(IdSource, { next: () => Effect.sync(() => randomUUID()) })

const engineOf = Layer.unwrap(
  ScriptedModel.useSync(({ baseUrl }) =>
    Models.layer({
      dialect: "openai-compatible",
      model: "slow",
      baseUrl: baseUrl["openai-compatible"],
      price: ModelCost.price({ input: "3", output: "15" })
    })
  )
).pipe((models) =>
  Engine.layer.pipe(
    Layer.provide([Layer.provide(BrowserAgent.layer(), models), Layer.orDie(pool()), ids]),
    Layer.provide(MemoryStore.layer),
    Layer.provideMerge(ScriptedModel.layer)
  )
)

const ended = (engine: Engine["Service"], id: string): Effect.Effect<Turn.Turn> =>
  Effect.flatMap(Effect.orDie(engine.turn(id)), (turn) =>
    Turn.isTerminal(turn.status) ? Effect.succeed(turn) : Effect.andThen(Effect.sleep("2 millis"), ended(engine, id))
  )

const measure = Effect.fnUntraced(function* (rounds: number, log: (line: string) => void) {
  const engine = yield* Engine
  const model = yield* ScriptedModel
  const { origin, sent } = yield* site
  const run = Effect.fnUntraced(function* (replayed?: string) {
    model.requests.length = 0
    const { turn } = yield* Effect.orDie(
      engine.createSession({
        task: "Fill in the form",
        modelParams: null,
        thinkingLevel: null,
        ...(replayed === undefined ? {} : { replay: StepCall.replayOf(replayed, false) })
      })
    )
    const over = yield* ended(engine, turn.id)
    if (over.status !== "completed") return yield* Effect.die(new Error(`A run ended: ${over.error}`))
    yield* Effect.orDie(engine.stopSession(over.sessionId))
    return { turn: over, ms: (over.finishedAt_ms ?? 0) - (over.startedAt_ms ?? 0) }
  })
  model.script = async ({ text }, count) => {
    await sleep(thinking_ms)
    return answerOf(count, text, origin)
  }
  const model_ms: Array<number> = []
  const replay_ms: Array<number> = []
  let steps = 0
  for (let round = 0; round < rounds; round++) {
    const recorded = yield* run()
    const replay = yield* run(recorded.turn.id)
    if (model.requests.length > 0 || replay.turn.cost !== "0") {
      return yield* Effect.die(new Error("The replay asked the model."))
    }
    if (sent.at(-1) !== sent.at(-2) || sent.length !== 2 * (round + 1)) {
      return yield* Effect.die(new Error("The replay sent another form."))
    }
    steps = recorded.turn.steps
    model_ms.push(recorded.ms)
    replay_ms.push(replay.ms)
    log(`round ${round + 1}: ${recorded.ms} ms with the model, ${replay.ms} ms as a replay`)
  }
  return { rounds, steps, model_ms, replay_ms }
})

/** Measures a replay of a run of 20 steps next to the run, whose model responds in a second. */
export const replay = (options: Options): Promise<ReplayReport> =>
  inFolder(() =>
    withBrowser(Effect.provide(measure(options.rounds ?? (options.quick ? 1 : 5), options.log), Layer.fresh(engineOf)))
  )

const middle = (values: ReadonlyArray<number>) =>
  values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] ?? 0

/** The table of a report. */
export const markdown = (report: ReplayReport): string => {
  const { model_ms, replay_ms, rounds, steps } = report
  const ratios = model_ms.map((ms, at) => ms / (replay_ms[at] ?? 1))
  return paragraphs(
    headingLine(
      report,
      `${rounds} rounds, each a run and its replay; ms are medians, from the start of a run to its end`
    ),
    table(
      ["a run", "steps", "ms", "requests to the model", "cost, USD"],
      [
        ["with a model that responds in 1 s", String(steps), String(middle(model_ms)), String(steps), "0.066"],
        ["its replay", String(steps), String(middle(replay_ms)), "0", "0"]
      ]
    ),
    `A replay is ${middle(ratios).toFixed(1)} times as fast as its run (each ratio is that of a round; the smallest is ${Math.min(...ratios).toFixed(1)}).`
  )
}
