import type { Attempt, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as AiError from "effect/ai/AiError"
import * as ModelError from "../model/ModelError.ts"
import type { Page } from "../page/Page.ts"
import type * as Calls from "./Calls.ts"
import * as Conversation from "./Conversation.ts"
import * as Judge from "./Judge.ts"
import type * as Limits from "./Limits.ts"
import type * as Suggestions from "./Suggestions.ts"

/** How a task ends. */
export type Ended = Extract<Turn.TurnEvent, { readonly _tag: "Completed" | "Failed" }>

/** How much a judge is shown of what was done. */
const judged = 20_000

const mapJson = (value: Schema.Json, change: (text: string) => string): Schema.Json => {
  if (typeof value === "string") return change(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((each: Schema.Json) => mapJson(each, change))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), mapJson(each, change)]))
}

/** What went wrong, in a sentence for people. */
export const sentenceOf = (error: { readonly message: string }): string =>
  AiError.isAiError(error) ? ModelError.sentence(error) : error.message

/** What an ending tells of. */
interface EndingOptions {
  readonly turn: Turn.Turn
  readonly session: Attempt["session"]
  readonly page: Page
  readonly conversation: Conversation.Conversation
  readonly suggestions: ReturnType<typeof Suggestions.make>
  readonly judges: boolean
}

/** How a task ends, with what is stored of it. */
export const make = ({ conversation, judges, page, session, suggestions, turn }: EndingOptions) => {
  /** What is stored of a text of the model: without secrets, and without half a surrogate pair. */
  const kept = (text: string) => page.redact(text).toWellFormed()

  /** What later tasks are to know of this one. */
  const checkpoint = () => (session.persistMemory ? { checkpoint: conversation.kept(kept) } : {})

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

  const judgementOf = (output: Schema.Json) =>
    Effect.flatMap(page.look(), ({ text }) =>
      Judge.judge({
        task: page.redact(turn.task),
        output,
        steps: Conversation.plain(conversation.all()).slice(-judged),
        page: text
      })
    ).pipe(
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

  /** How the task ended, while it is judged: a judge that takes longer than the task may is not waited for. */
  let unjudged: Ended | undefined

  const completed = Effect.fnUntraced(function* ({ output: said, success }: Calls.Ending) {
    const output = mapJson(said, kept)
    const endedWith = (judgement: Turn.Judgement | null): Ended => ({
      _tag: "Completed",
      report: { output, isSuccess: success, judgement, ...checkpoint(), suggestions: suggestions.all() }
    })
    unjudged = endedWith(null)
    return judges ? endedWith(yield* judgementOf(output)) : unjudged
  })

  return { kept, checkpoint, failed, reached, completed, unjudged: () => unjudged }
}
