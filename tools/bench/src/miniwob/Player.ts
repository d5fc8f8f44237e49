import { BrowserAgent, Models } from "@webagent/agent"
import { BrowserPool, Engine, MemoryStore, TimeOrderedIds, Turn } from "@webagent/engine"
import { type ModelReply, type ModelRequest, ScriptedModel } from "@webagent/scripted-model"
import type { Launched } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Call, Rule } from "./Rule.ts"
import { read } from "./Screen.ts"

/** Execution of an episode. */
interface Played {
  /** The reason why the rule gave up, or why the agent failed; empty if neither happened. */
  readonly error: string
  /** From each answer of the model to its next request: the calls, the look, and the request itself. */
  readonly steps_ms: ReadonlyArray<number>
}

/** One browser for all sessions: the episode is begun in it beforehand. */
const oneBrowser = (connect: Launched["connect"]) =>
  Layer.succeed(BrowserPool, { launch: () => Effect.succeed({ connect, stop: Effect.void }) })

/** The engine, the agent and a model over HTTP that answers by rules. */
export const layer = (connect: Launched["connect"]): Layer.Layer<Engine | ScriptedModel> => {
  const models = Layer.unwrap(
    ScriptedModel.useSync(({ baseUrl }) =>
      Models.layer({ dialect: "openai-compatible", model: "rules", baseUrl: baseUrl["openai-compatible"] })
    )
  )
  // pictures are taken while a model thinks, and this one does not
  const agent = BrowserAgent.layer({ pictures: false, limits: { duration_ms: 45_000, steps: 500 } })
  return Engine.layer.pipe(
    Layer.provide([Layer.provide(agent, models), oneBrowser(connect), TimeOrderedIds.layer, MemoryStore.layer]),
    Layer.provideMerge(ScriptedModel.layer),
    Layer.orDie
  )
}

const done = (success: boolean): ModelReply => ({ calls: [{ name: "done", input: { success, output: "" } }] })

const taskOf = ({ messages }: ModelRequest) =>
  messages.findLast(({ text }) => text.startsWith("Task: "))?.text.slice("Task: ".length) ?? ""

/** Maximum number of calls per response that the agent carries out. */
const calls_most = 5

/** Answers by a rule, page after page. */
const follow = (rule: Rule) => {
  let playing: ReturnType<Rule> | undefined
  let left: ReadonlyArray<Call> = []
  const next = (request: ModelRequest): ReadonlyArray<Call> | undefined => {
    const results = request.messages.filter(({ role }) => role === "tool").slice(-5)
    const screen = read(request.text, results.map(({ text }) => text).join("\n"))
    if (left.length === 0) {
      const answer = playing === undefined ? (playing = rule(taskOf(request), screen)).next() : playing.next(screen)
      if (answer.done === true) return undefined
      left = answer.value
    }
    const calls = left.slice(0, calls_most)
    left = left.slice(calls_most)
    return calls
  }
  return next
}

/** Has the agent carry out a task on the page that is open, with a rule as its model. */
export const play = Effect.fnUntraced(function* (task: string, rule: Rule) {
  const engine = yield* Engine
  const model = yield* ScriptedModel
  const next = follow(rule)
  const steps_ms: Array<number> = []
  let error = ""
  let answered = Number.NaN
  model.requests.length = 0
  model.script = (request) => {
    // asked to sum up what was done
    if (request.tools.length === 0) return { text: "It goes on." }
    if (!Number.isNaN(answered)) steps_ms.push(performance.now() - answered)
    try {
      const calls = next(request)
      return calls === undefined ? done(true) : { calls }
    } catch (thrown) {
      error = thrown instanceof Error ? thrown.message : String(thrown)
      return done(false)
    } finally {
      answered = performance.now()
    }
  }
  const { session, turn } = yield* engine.createSession({ task, modelParams: null, thinkingLevel: null })
  const ended = yield* Effect.repeat(Effect.andThen(Effect.sleep("2 millis"), engine.turn(turn.id)), {
    until: ({ status }) => Turn.isTerminal(status)
  })
  yield* engine.stopSession(session.id)
  const played: Played = { steps_ms, error: error || (ended.error ?? "") }
  return played
}, Effect.orDie)
