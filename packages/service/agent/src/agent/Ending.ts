import { AgentError, type Attempt, type Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as ModelError from "../model/ModelError.ts"
import type { Page } from "../page/Page.ts"
import type * as Calls from "./Calls.ts"
import * as Conversation from "./Conversation.ts"
import * as Judge from "./Judge.ts"
import type * as Limits from "./Limits.ts"
import * as Suggestions from "./Suggestions.ts"

/** The event that ends a task. */
export type Ended = Extract<Turn.TurnEvent, { readonly _tag: "Completed" | "Failed" }>

/** Limits the text about the steps that a judge reads, in characters. */
const judged = 20_000

const mapJson = (value: Schema.Json, change: (text: string) => string): Schema.Json => {
  if (typeof value === "string") return change(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((each: Schema.Json) => mapJson(each, change))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), mapJson(each, change)]))
}

/** Describes a failure in a sentence for people. */
export const sentenceOf = (error: { readonly message: string }): string =>
  AiError.isAiError(error) ? ModelError.sentence(error) : error.message

/** The judge of a task. */
export interface JudgeOptions {
  /** Facts from the caller about the right result; null for none. */
  readonly context: string | null
  /** The model that judges. */
  readonly model: LanguageModel.LanguageModel
}

/** The parts of a task that its end is made of. */
interface EndingOptions {
  readonly turn: Turn.Turn
  readonly session: Attempt["session"]
  readonly page: Page
  readonly conversation: Conversation.Conversation
  readonly suggestions: ReturnType<typeof Suggestions.make>
  readonly judge: JudgeOptions | null
}

/** Returns the end of a task that reached a limit before it had a page. */
export const withoutPage = ({ advice, category, error, failure }: Limits.Reached): Ended => {
  const suggestions = Suggestions.make()
  suggestions.add(category, advice)
  return { _tag: "Failed", error, failure, report: { isSuccess: false, suggestions: suggestions.all() } }
}

/** The end of a replay that asked no model. */
export const atNoCost = (ended: Ended): Ended => ({ ...ended, report: { ...ended.report, cost: "0" } })

/** Makes the events that end a task, with the data that is stored of it. */
export const make = ({ conversation, judge, page, session, suggestions, turn }: EndingOptions) => {
  /** Prepares a text of the model for storage: without secrets, and without half a surrogate pair. */
  const kept = (text: string) => page.redact(text).toWellFormed()

  /** Returns the text that later tasks should know about this one. */
  const checkpoint = (more: Parameters<typeof conversation.kept>[1] = []) =>
    session.persistMemory ? { checkpoint: conversation.kept(kept, more) } : {}

  const failed = (failure: Turn.Failure, error: string, report: Partial<Turn.TurnReport> = {}): Ended => ({
    _tag: "Failed",
    error: kept(error),
    failure,
    report: { ...report, ...checkpoint(), suggestions: suggestions.all() }
  })

  const reached = ({ advice, category, error, failure }: Limits.Reached): Ended => {
    suggestions.add(category, advice)
    return failed(failure, error, { isSuccess: false })
  }

  /** The end of a replay with a step that can't be repeated without a model. */
  const notReplayable = ({ problem }: { readonly problem: string }): Ended => {
    suggestions.add(
      "replay",
      "Let the replay ask the model, or create the run again without replayOf to record it again."
    )
    return failed("not_replayable", problem, { isSuccess: false })
  }

  /** The end of a task whose output didn't fit its schema too often. */
  const unfit = (repairs: { readonly count: () => number; readonly last: () => string }): Ended => {
    suggestions.add("output", "Describe the wanted output in the task, or ask for a simpler outputSchema.")
    const last = page.redact(repairs.last()).slice(0, 300)
    const error = `The output did not fit its schema ${repairs.count()} times. The last: ${last}`
    return failed("invalid_output", error, { isSuccess: false })
  }

  const judgementOf = ({ context, model }: JudgeOptions, output: Schema.Json) =>
    Effect.flatMap(page.look(), ({ text }) =>
      Judge.judge({
        task: page.redact(turn.task),
        output,
        steps: Conversation.plain(conversation.all()).slice(-judged),
        page: text,
        context: context === null ? null : page.redact(context)
      })
    ).pipe(
      Effect.provideService(LanguageModel.LanguageModel, model),
      Effect.withSpan("webagent.judge"),
      Effect.catch((error) =>
        Effect.as(
          Effect.logWarning(
            `The run ${turn.id} is not judged: ${page.redact(sentenceOf(error)).replaceAll(/\s+/gu, " ").slice(0, 200)}`
          ),
          null
        )
      )
    )

  /** The end of a task in which something failed. */
  const caught = (error: { readonly message: string }): Ended => {
    if (error instanceof AgentError) return failed(error.failure ?? "agent", error.message, { isSuccess: false })
    if (AiError.isAiError(error)) return failed("model_error", sentenceOf(error))
    return failed("browser_lost", `${error.message} Send a follow-up to continue in a new browser.`)
  }

  /** The end of the task while it's being judged. It's used if the judge takes longer than the task may. */
  let unjudged: Ended | undefined

  const completed = Effect.fnUntraced(function* ({ output: said, success }: Calls.Ending) {
    const output = mapJson(said, kept)
    const endedWith = (judgement: Turn.Judgement | null): Ended => ({
      _tag: "Completed",
      report: { output, isSuccess: success, judgement, ...checkpoint(), suggestions: suggestions.all() }
    })
    unjudged = endedWith(null)
    return judge === null ? unjudged : endedWith(yield* judgementOf(judge, output))
  })

  return { kept, checkpoint, caught, failed, notReplayable, reached, unfit, completed, unjudged: () => unjudged }
}
