import { AgentError, type Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as ModelError from "../model/ModelError.ts"
import type { Look } from "../page/Look.ts"
import type { Page } from "../page/Page.ts"
import type * as Asking from "./Asking.ts"
import type * as Calls from "./Calls.ts"
import * as Conversation from "./Conversation.ts"
import * as Limits from "./Limits.ts"
import type * as Remarks from "./Remarks.ts"
import type * as Replaying from "./Replaying.ts"
import { detailsOf, summaryOf } from "./StepSummary.ts"
import * as Tools from "./Tools.ts"

interface DecidingOptions {
  readonly asking: ReturnType<typeof Asking.make>
  readonly replaying: Replaying.Replaying
  readonly page: Page
  readonly remarks: ReturnType<typeof Remarks.make>
  readonly limits: Limits.Limits
  readonly done: Tools.Described
  /** True if the run's caller allows questions of the agent. */
  readonly mayAskPeople: boolean
  /** Sends pictures to the model with each step. Steps can keep pictures even without this. */
  readonly sees: boolean
  /** Draws the numbers of elements onto these pictures. */
  readonly marks: boolean
  readonly pictures: boolean
}

/** The calls of a step, and who decided on them. */
export interface Decision {
  readonly calls: ReadonlyArray<Calls.Call>
  /** The model's response; empty if a recorded step is repeated. */
  readonly content: ReadonlyArray<Response.AnyPart>
  readonly text: string
  readonly finishReason: string
  readonly offered: ReadonlyArray<Tools.Described>
  /** True if only the call that ends the task is offered. */
  readonly isLast: boolean
  /** The step as it's stored before the calls. */
  readonly step: Omit<Turn.Step, "picture" | "tokens" | "cost"> & { readonly picture: Uint8Array | null }
  /** Is true for a recorded step. */
  readonly isRepeated: boolean
}

/** A recorded step that can't be repeated, and no model may be asked. */
export interface Stuck {
  readonly problem: string
}

/** Limits the time a picture may take, and the size in bytes of one that is kept. */
const pictureWithin = "5 seconds"
const largestPicture = 512 * 1024

/** Explains the marks of a picture to the model. */
const aboutMarks =
  "The picture shows the page: a box with a number is the element with this number, and the small numbers on a canvas are the x,y of points for clickAt."

/** Takes a picture of the visible page, if it may be seen and the browser delivers it soon. */
const pictureOf = (page: Page) =>
  page.picture.pipe(
    Effect.timeoutOption(pictureWithin),
    Effect.map(Option.getOrNull),
    Effect.orElseSucceed(() => null),
    Effect.withSpan("webagent.picture")
  )

const smallEnough = (jpeg: Uint8Array | null) => (jpeg !== null && jpeg.length <= largestPicture ? jpeg : null)

/** Makes the decisions of a task: the next recorded step of a replay, or else the model's. */
export const make = ({
  asking,
  done,
  limits,
  marks,
  mayAskPeople,
  page,
  pictures,
  remarks,
  replaying,
  sees
}: DecidingOptions) => {
  const tools = [...Tools.offered(mayAskPeople, replaying.isReplay), done]

  const ask = Effect.fnUntraced(function* (number: number, look: Look, failures: number, more: ReadonlyArray<string>) {
    // while the model thinks: a step waits for it only where the model is faster
    const taken = sees || pictures ? yield* Effect.forkChild(pictureOf(page)) : null
    const seen = taken === null ? Effect.succeed(null) : Fiber.join(taken)
    const isLast = Limits.isLast(limits, number, failures)
    const offered = isLast ? [done] : tools
    const { content, finishReason, text, toolCalls } = yield* asking.nextStep({
      remarks: [...remarks.before(number, look, isLast), ...(sees && marks ? [aboutMarks] : []), ...more],
      shown: look.text,
      picture: sees ? (marks ? marked(seen, look) : seen) : Effect.succeed(null),
      tools: offered
    })
    const calls = toolCalls
      .filter(({ providerExecuted }) => providerExecuted !== true)
      .map(({ id, name, params }): Calls.Call => ({ id, name, params: Conversation.wellFormed(params) }))
    const decision: Decision = {
      calls,
      content,
      text,
      finishReason,
      offered,
      isLast,
      isRepeated: false,
      step: {
        summary: summaryOf(calls, text, look.shown, page.redact),
        address: look.url,
        picture: pictures ? smallEnough(yield* seen) : null,
        ...detailsOf(calls, look.shown, page.redact)
      }
    }
    return decision
  })

  const repeat = ({ calls, step }: Extract<Replaying.Next, { readonly _tag: "Repeat" }>, look: Look): Decision => {
    const { name = null, role = null, summary, title = null, tool = null, value = null } = step
    return {
      calls,
      content: [],
      text: "",
      finishReason: "tool-calls",
      offered: tools,
      isLast: false,
      isRepeated: true,
      // a picture would take longer than the step
      step: { summary, address: look.url, picture: null, title, tool, role, name, value }
    }
  }

  const marked = (seen: Effect.Effect<Uint8Array | null>, { shown }: Look) =>
    Effect.flatMap(seen, (jpeg) =>
      jpeg === null
        ? Effect.succeed(null)
        : page.marked(
            jpeg,
            shown.map(({ number: shownNumber }) => shownNumber)
          )
    )

  return {
    /** Decides on the calls of the step with this number. */
    next: Effect.fnUntraced(function* (number: number, look: Look, failures: number, mayAskModel: boolean) {
      const next = yield* replaying.next
      if (next?._tag === "Repeat") return repeat(next, look)
      if (next !== undefined && !mayAskModel) return { problem: next.problem } satisfies Stuck
      if (next === undefined) return yield* ask(number, look, failures, [])
      return yield* Effect.catchIf(ask(number, look, failures, [next.remark]), AiError.isAiError, (error) =>
        Effect.fail(
          new AgentError({ failure: "model_error", message: `${next.problem} ${ModelError.sentence(error)}` })
        )
      )
    }),
    /** Returns the details of a step that is over, and notes the progress of a replay. */
    detailsOf: ({ isRepeated }: Decision, outcome: Calls.Outcome): Turn.StepDetails => {
      const { records: calls, verified } = outcome
      if (!replaying.isReplay) return { calls, verified }
      const repetition = isRepeated ? replaying.repeated(outcome) : "asked"
      return { calls, verified, ...(repetition === undefined ? {} : { repetition }) }
    }
  }
}
