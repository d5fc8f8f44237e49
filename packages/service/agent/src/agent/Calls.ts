import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { BrowserLost } from "../page/Failures.ts"
import type { CallResult } from "./Conversation.ts"
import * as Tools from "./Tools.ts"

/** A call as the model made it. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly params: unknown
}

/** How the model ends the task. */
export interface Ending {
  readonly success: boolean
  readonly output: Schema.Json
}

/** What became of the calls of one answer. */
export interface Outcome {
  readonly results: ReadonlyArray<CallResult>
  /** Whether one of them went wrong. */
  readonly failed: boolean
  readonly ending: Ending | undefined
}

/** How many calls of one answer are carried out. */
const most = 5

const tooMany = `Not done: at most ${most} calls in one answer.`
const elsewhere = "Not done: the page is another one now."

/** How much a model is told of a result. */
const longest = 9000

const byName = new Map(Tools.tools.map((each) => [each.tool.name, each]))

/** Whether these calls leave the page as it is. */
const leavesPage = (calls: ReadonlyArray<Call>) => calls.every(({ name }) => byName.get(name)?.changes === false)

/** How the task ends; or why it does not, in words for the model. */
export type Accept = (params: unknown) => Result.Result<Ending, string>

/**
 * Carries out the calls of an answer in their order. After one that fails, or after which the page is another one, the
 * rest is left out: it was meant for what the model saw. Every call gets a result, also when this is interrupted.
 */
export const carryOut = (
  calls: ReadonlyArray<Call>,
  scene: Tools.Scene,
  accept: Accept,
  told: (results: ReadonlyArray<CallResult>) => void
): Effect.Effect<Outcome, BrowserLost> =>
  Effect.suspend(() => {
    const { page } = scene
    const results: Array<CallResult> = []
    let leftOut: string | undefined
    let ending: Ending | undefined
    const before = page.front()
    const isElsewhere = () => {
      const { hasDialog, tabs, url } = page.front()
      return hasDialog || url !== before.url || tabs !== before.tabs
    }

    const end = (params: unknown, at: number): Result.Result<string, string> => {
      if (!leavesPage(calls.slice(0, at))) return Result.fail("Not done: look at the page first, then end the task.")
      return Result.map(accept(params), (accepted) => {
        ending = accepted
        return "Done."
      })
    }

    const carry = (call: Call, at: number): Effect.Effect<Result.Result<string, string>, BrowserLost> => {
      if (leftOut !== undefined) return Effect.succeed(Result.fail(leftOut))
      if (at >= most) return Effect.succeed(Result.fail(tooMany))
      if (call.name === Tools.doneName) return Effect.sync(() => end(call.params, at))
      const tool = byName.get(call.name)
      if (tool === undefined) return Effect.succeed(Result.fail(`There is no tool "${call.name.slice(0, 100)}".`))
      return tool.run(call.params, scene).pipe(
        Effect.map(Result.succeed),
        Effect.catchTag("Refused", ({ message }) => Effect.succeed(Result.fail(message))),
        Effect.withSpan("webagent.action", { attributes: { tool: call.name } })
      )
    }

    return Effect.forEach(calls, (call, at) =>
      Effect.map(carry(call, at), (carried) => {
        const failed = Result.isFailure(carried)
        const text = page.redact(Result.merge(carried)).slice(0, longest)
        results.push({ id: call.id, name: call.name, result: text, failed })
        if (failed) leftOut ??= at < most ? "Not done: the call before it failed." : tooMany
        else if (isElsewhere()) leftOut ??= elsewhere
      })
    ).pipe(
      Effect.map(() => ({
        results,
        ending,
        failed: calls.length === 0 || (ending === undefined && hasFailed(results))
      })),
      Effect.ensuring(
        Effect.sync(() => {
          const missing = calls.slice(results.length).map(({ id, name }) => ({
            id,
            name,
            result: "Not done: the user stopped the task.",
            failed: true
          }))
          told([...results, ...missing])
        })
      )
    )
  })

/** What is left out of an answer with too many calls, or because the page is another one, did not go wrong. */
const hasFailed = (results: ReadonlyArray<CallResult>) =>
  results.some(({ failed, result }) => failed && result !== tooMany && result !== elsewhere)
