import { BrowserAgent, Models } from "@webagent/agent"
import { Engine, IdSource, MemoryStore, Turn } from "@webagent/engine"
import { type ModelMessage, ScriptedModel } from "@webagent/scripted-model"
import { pool } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type Heading, headingLine, inFolder, type Options, paragraphs, plain, table } from "../measure/Report.ts"
import { type Times, timesOf, timesText } from "../measure/Times.ts"
import { withBrowser } from "../measure/WithBrowser.ts"
import { pages } from "../page/Pages.ts"

/** The result of the bench `steps`. */
interface StepsReport extends Heading {
  readonly rounds: number
  /** The time of a step without its model, by how long the model takes, in milliseconds. */
  readonly own: ReadonlyArray<{ readonly model_ms: number; readonly own_ms: Times }>
  /** The heap of the process in MB after each of these steps, as medians of rounds. */
  readonly heap_MB: ReadonlyArray<{ readonly step: number; readonly MB: number }>
}

/** Steps of a run, and the steps after which memory is measured. */
const steps_count = 60
const measured: ReadonlyArray<number> = [10, 20, 40, 60]

/** The times that the model takes, in turns. A step's picture is taken meanwhile. */
const thinking_ms: ReadonlyArray<number> = [300, 0]

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** Memory that is in use, after garbage was collected. */
const heap_MB = () => {
  collect()
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

const cards = pages[1]?.body ?? ""

const site = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" })
      response.end(`<!doctype html><meta charset=utf-8><title>Shop</title><body><input aria-label=Search>${cards}`)
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const call = (name: string, input: unknown): ModelMessage => ({ calls: [{ name, input }] })

const numberOf = (shown: string, element: string) =>
  Number(new RegExp(String.raw`\[(\d+) ${element}`, "u").exec(shown)?.[1])

/** Steps of the usual kinds in turns. */
const answerOf = (step: number, shown: string, origin: string): ModelMessage => {
  if (step === 1) return call("navigate", { url: origin })
  if (step === steps_count) return call("done", { success: true, output: "Done" })
  const kinds = [
    () => call("click", { index: numberOf(shown, 'button "Add to cart"') }),
    () => call("type", { index: numberOf(shown, 'textbox "Search"'), text: `mug ${step}` }),
    () => call("scroll", { direction: step % 8 < 4 ? "down" : "up" }),
    () => call("find", { text: `Product ${step}` })
  ]
  return kinds[step % 4]?.() ?? call("wait", { seconds: 0 })
}

const ids = Layer.succeed(IdSource, { next: () => Effect.sync(() => randomUUID()) })

const engineOf = Layer.unwrap(
  ScriptedModel.useSync(({ baseUrl }) =>
    Models.layer({ dialect: "openai-compatible", model: "instant", baseUrl: baseUrl["openai-compatible"] })
  )
).pipe((models) =>
  Engine.layer.pipe(
    Layer.provide([
      Layer.provide(BrowserAgent.layer({ limits: { steps: steps_count, repeats: steps_count } }), models),
      Layer.orDie(pool()),
      ids
    ]),
    Layer.provide(MemoryStore.layer),
    Layer.provideMerge(ScriptedModel.layer)
  )
)

const ended = (engine: Engine["Service"], id: string): Effect.Effect<Turn.Turn> =>
  Effect.flatMap(Effect.orDie(engine.turn(id)), (turn) =>
    Turn.isTerminal(turn.status) ? Effect.succeed(turn) : Effect.andThen(Effect.sleep("20 millis"), ended(engine, id))
  )

const middle = (values: ReadonlyArray<number>) =>
  values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] ?? Number.NaN

const measure = Effect.fnUntraced(function* (rounds: number, log: (line: string) => void) {
  const engine = yield* Engine
  const model = yield* ScriptedModel
  const server = yield* site
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const own = thinking_ms.map((model_ms) => ({ model_ms, times: new Array<number>() }))
  const heaps = new Map(measured.map((step) => [step, new Array<number>()] as const))
  // the first run also compiles and fills caches
  for (let run = 0; run <= rounds * own.length; run++) {
    const isWarm = run > 0
    const { model_ms, times } = own[run % own.length] ?? { model_ms: 0, times: [] }
    let answered: number | undefined
    let steps = 0
    model.script = async ({ text }) => {
      // the first one opens the page
      if (answered !== undefined && isWarm && steps > 1) times.push(performance.now() - answered)
      steps++
      model.requests.length = 0
      if (isWarm) heaps.get(steps)?.push(heap_MB())
      const answer = answerOf(steps, text, origin)
      if (isWarm) await sleep(model_ms)
      answered = performance.now()
      return answer
    }
    const { turn } = yield* Effect.orDie(
      engine.createSession({ task: "Look for mugs", modelParams: null, thinkingLevel: null })
    )
    const over = yield* ended(engine, turn.id)
    if (over.status !== "completed") return yield* Effect.die(new Error(`A run ended: ${over.error}`))
    yield* Effect.orDie(engine.stopSession(over.sessionId))
    log(
      `run ${run}, a model of ${model_ms} ms: ${over.steps} steps in ${(over.finishedAt_ms ?? 0) - (over.startedAt_ms ?? 0)} ms`
    )
  }
  return {
    rounds,
    own: own.map(({ model_ms, times }) => ({ model_ms, own_ms: timesOf(times) })),
    heap_MB: measured.map((step) => ({ step, MB: middle(heaps.get(step) ?? []) }))
  }
})

/** Measures what a step costs without its model, and the memory of a run of 60 steps. */
export const steps = (options: Options): Promise<StepsReport> =>
  inFolder(() =>
    withBrowser(Effect.provide(measure(options.rounds ?? (options.quick ? 1 : 5), options.log), Layer.fresh(engineOf)))
  )

/** The table of a report. */
export const markdown = (report: StepsReport): string =>
  paragraphs(
    headingLine(
      report,
      `${report.rounds} rounds of ${steps_count} steps with each model on a page with 60 cards, with pictures`
    ),
    table(
      ["after step", ...report.heap_MB.map(({ step }) => String(step))],
      [["heap of the process, MB", ...report.heap_MB.map(({ MB }) => plain(MB))]]
    ),
    table(
      ["a step with a model that responds", "its own time, ms (p50 / p95)"],
      report.own.map(({ model_ms, own_ms }) => [model_ms === 0 ? "at once" : `in ${model_ms} ms`, timesText(own_ms)])
    ),
    "A step's own time is from the model's response to the next request: the action, the wait for what it set off, the look, and the store. Its picture is taken while the model thinks, so only a model that responds at once waits for it."
  )
