import type { ModelMessage } from "@webagent/scripted-model"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { call, done, followedUp, Running, script } from "../agent/running.ts"

/** A session whose browser all pages share. It remembers no earlier visit. */
export class Visiting extends Context.Service<Visiting, { readonly sessionId: string }>()("Visiting") {
  static readonly layer = Layer.effect(
    Visiting,
    Effect.map(
      Effect.orDie(Running.use(({ engine }) => engine.openSession({ persistMemory: false }))),
      ({ session }) => ({ sessionId: session.id })
    )
  ).pipe(Layer.provideMerge(Running.layer({ pictures: false })))
}

/** One call of the agent's tools, made from the page as the model is shown it. */
export type Step = (
  look: string
) => ReturnType<typeof call> | ReadonlyArray<ReturnType<typeof call>> | Promise<ReturnType<typeof call>>

/** A visit to a page. */
export interface Visit {
  /** The page as the model was shown it before each step, and at the end. */
  readonly looks: ReadonlyArray<string>
  /** The results of the calls after the first one, which opens the page. */
  readonly results: ReadonlyArray<string>
  /** For each step between the first and the last, true if it verified its effects. */
  readonly verified: ReadonlyArray<boolean | null | undefined>
  /** The actions that reached the page. */
  readonly saw: ReadonlyArray<string>
  readonly origin: string
}

/** Has the agent open a page and make these calls, one response of the model per step. */
export const visit = Effect.fnUntraced(function* (name: string, ...steps: ReadonlyArray<Step>) {
  const running = yield* Running
  const { sessionId } = yield* Visiting
  const { model, site } = running
  site.saw()
  const looks: Array<string> = []
  let results: ReadonlyArray<string> = []
  script(running, call("navigate", { url: `${site.origin}/${name}` }), async (now, request) => {
    const look = request.text
    looks.push(look)
    results = request.messages.filter(({ role }) => role === "tool").map(({ text }) => text)
    const step = steps[looks.length - 1]
    if (step === undefined) return done()
    const calls = [await step(look)].flat()
    return { calls: calls.flatMap((one) => one.calls ?? []) } satisfies ModelMessage
  })
  const turn = yield* followedUp(sessionId, `Visit ${name}`)
  if (turn.status !== "completed" || model.requests.length === 0) {
    return yield* Effect.die(new Error(`The visit to ${name} ended: ${JSON.stringify(turn.error)}`))
  }
  const verified = (yield* running.store.stepsOf(turn.id)).slice(1, -1).map((step) => step.verified)
  return { looks, results: results.slice(1), verified, saw: site.saw(), origin: site.origin } satisfies Visit
})

/** The number of the element whose name begins so. */
export const numberOf = (look: string, name: string): number => {
  const [, number] = new RegExp(String.raw`\[(\d+) [\w ]+? "${name}`, "u").exec(look) ?? []
  if (number === undefined) throw new Error(`There is no ${JSON.stringify(name)} in:\n${look}`)
  return Number(number)
}

/** Makes a step that calls a tool on the element whose name begins so. */
export const on =
  (tool: string, name: string, more: Readonly<Record<string, unknown>> = {}): Step =>
  (look) =>
    call(tool, { index: numberOf(look, name), ...more })

/** Makes a step that calls a tool. */
export const use =
  (tool: string, input: Readonly<Record<string, unknown>> = {}): Step =>
  () =>
    call(tool, input)
