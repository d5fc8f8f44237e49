import { BrowserPool, Engine, MemoryStore, TimeOrderedIds, Turn } from "@webagent/engine"
import { type ModelReply, type ModelRequest, ScriptedModel } from "@webagent/scripted-model"
import type { Launched } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BrowserAgent, Models } from "../../src/index.ts"
import type { Call, Rule } from "./Rule.ts"
import { read } from "./Screen.ts"

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

/**
 * Carries out a task on the open page, with a rule as the agent's model. Returns the reason why the rule gave up or the
 * agent failed; empty if neither happened.
 */
export const play = Effect.fnUntraced(function* (task: string, rule: Rule) {
  const engine = yield* Engine
  const model = yield* ScriptedModel
  const next = follow(rule)
  let error = ""
  model.requests.length = 0
  model.script = (request) => {
    // a request for a summary
    if (request.tools.length === 0) return { text: "It goes on." }
    try {
      const calls = next(request)
      return calls === undefined ? done(true) : { calls }
    } catch (thrown) {
      error = thrown instanceof Error ? thrown.message : String(thrown)
      return done(false)
    }
  }
  const { session, turn } = yield* engine.createSession({ task, modelParams: null, thinkingLevel: null })
  const finished = yield* Effect.repeat(Effect.andThen(Effect.sleep("2 millis"), engine.turn(turn.id)), {
    until: ({ status }) => Turn.isTerminal(status)
  })
  yield* engine.stopSession(session.id)
  return error || (finished.error ?? "")
}, Effect.orDie)
