import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { AgentError, LeaseLost, StepCall } from "@webagent/engine"
import * as GenAiSpans from "../model/GenAiSpans.ts"
import type { BrowserLost, Refused } from "../page/Failures.ts"
import { OnVerified } from "../page/Verification.ts"
import { type CallResult, shortened } from "./Conversation.ts"
import { recordOf } from "./Recording.ts"
import type { Seen } from "./Seen.ts"
import * as Tools from "./Tools.ts"

/** A call as the model made it. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly params: unknown
}

/** The result with which the model ends the task. */
export interface Ending {
  readonly success: boolean
  readonly output: Schema.Json
}

/** The results of the calls in one response. */
export interface Outcome {
  readonly results: ReadonlyArray<CallResult>
  /** The calls as a replay makes them again. */
  readonly records: ReadonlyArray<StepCall.StepCall>
  /** True if each call checked that it had its effect, false if one failed, and null otherwise. */
  readonly verified: boolean | null
  /** Is true if a call failed and the task doesn't end, or if there was no call. */
  readonly failed: boolean
  readonly ending: Ending | undefined
}

/** Limits the calls of one response that are carried out. */
const most = 5

const tooMany = `Not done: at most ${most} calls in one answer.`
const elsewhere = "Not done: the page is another one now."
const afterFailure = "Not done: the call before it failed."
const takenOver = "Not done: a person used the browser meanwhile."
const stopped = "Not done: the user stopped the task."

type CallOutcome = Pick<CallResult, "status"> & { readonly text: string }

const done = (text: string): CallOutcome => ({ status: "done", text })
const failed = (text: string): CallOutcome => ({ status: "failed", text })
const skipped = (text: string): CallOutcome => ({ status: "skipped", text })

const notOffered = (name: string, offered: ReadonlyArray<Tools.Described>) =>
  `Not done: ${name} can't be called now. Call ${offered.length === 1 ? offered[0]?.name : "one of the tools that you have"}.`

const byName = new Map(Tools.tools.map((each) => [each.tool.name, each]))

/** Returns whether these calls leave the page as it is. */
const leavesPage = (calls: ReadonlyArray<Call>) => calls.every(({ name }) => byName.get(name)?.changes === false)

/** Returns the end of the task, or the reason why the task can't end yet, worded for the model. */
export type Accept = (params: unknown) => Result.Result<Ending, string>

/** The means of carrying out calls. */
interface CallsOptions {
  readonly scene: Tools.Scene
  /** The tools that the model had. A call of another one is refused. */
  readonly offered: ReadonlyArray<Tools.Described>
  readonly accept: Accept
  /** Limits the length of each result, in characters. */
  readonly longest: number
  /** Receives the texts of results, and has those of pages. */
  readonly seen: Seen
  /** Completes a recorded call right before it's made. */
  readonly prepare: (call: Call) => Effect.Effect<Call, BrowserLost | Refused>
}

/**
 * Carries out the calls of an answer in their order. After one that fails, or after which the page is another one, the
 * rest is left out: it was meant for what the model saw. So is each call before which a person used the browser. Every call gets a result, also when this is interrupted;
 * `results` receives each at once.
 */
export const carryOut = (
  calls: ReadonlyArray<Call>,
  { accept, longest, offered, prepare, scene, seen }: CallsOptions,
  results: Array<CallResult>
): Effect.Effect<Outcome, AgentError | BrowserLost | LeaseLost> =>
  Effect.suspend(() => {
    const { page } = scene
    const records: Array<StepCall.StepCall> = []
    let skipReason: string | undefined
    let ending: Ending | undefined
    let isVerified = true
    const has = (wanted: CallOutcome["status"]) => results.some(({ status }) => status === wanted)
    const before = page.front()
    const isElsewhere = () => {
      const { dialog, tabs, url } = page.front()
      return dialog !== undefined || url !== before.url || tabs !== before.tabs
    }

    const end = (params: unknown, at: number): CallOutcome => {
      if (!leavesPage(calls.slice(0, at))) return failed("Not done: look at the page first, then end the task.")
      const accepted = accept(params)
      if (Result.isFailure(accepted)) return failed(accepted.failure)
      ending = accepted.success
      return done("Done.")
    }

    const carry = (call: Call, at: number): Effect.Effect<CallOutcome, AgentError | BrowserLost | LeaseLost> => {
      if (skipReason !== undefined) return Effect.succeed(skipped(skipReason))
      if (at >= most) return Effect.succeed(skipped(tooMany))
      return prepare(call).pipe(
        Effect.tap((ready) =>
          Effect.map(recordOf(page, seen, ready), (record) => void (records[at] = { ...record, status: "skipped" }))
        ),
        Effect.flatMap((ready) => make(ready, at)),
        Effect.catchTag("Refused", ({ message }) => Effect.succeed(failed(message)))
      )
    }

    const make = (call: Call, at: number): Effect.Effect<CallOutcome, AgentError | BrowserLost | LeaseLost> => {
      if (call.name === Tools.doneName) return Effect.sync(() => end(call.params, at))
      const tool = byName.get(call.name)
      if (tool === undefined) return Effect.succeed(failed(`There is no tool "${call.name.slice(0, 100)}".`))
      if (!offered.includes(tool.tool)) return Effect.succeed(failed(notOffered(call.name, offered)))
      let { verifies } = tool
      return tool.run(call.params, scene).pipe(
        GenAiSpans.executeTool(call.name, call.id, call.params),
        Effect.provideService(OnVerified, (is) => void (verifies = is)),
        Effect.ensuring(Effect.sync(() => (isVerified &&= verifies))),
        Effect.map(done),
        Effect.catchTag("Refused", ({ message }) => Effect.succeed(failed(message)))
      )
    }

    return Effect.forEach(
      calls,
      Effect.fnUntraced(function* (call, at) {
        const isEnding = at === 0 && call.name === Tools.doneName
        if (!isEnding && (yield* scene.untilFree)) skipReason ??= takenOver
        const { status, text } = yield* carry(call, at)
        const record = records[at]
        if (record !== undefined) records[at] = { ...record, status }
        // a refusal names words that no page shows
        if (status === "done") seen.add(text)
        results.push({ id: call.id, name: call.name, status, result: shortened(page.redact(text), longest) })
        if (status === "failed") skipReason ??= afterFailure
        else if (status === "done" && (call.name === Tools.askName || isElsewhere())) skipReason ??= elsewhere
      })
    ).pipe(
      Effect.map(() => ({
        results,
        records: Object.values(records),
        verified: has("failed") ? false : (has("done") && ending === undefined && isVerified) || null,
        ending,
        failed: calls.length === 0 || (ending === undefined && has("failed"))
      })),
      Effect.ensuring(
        Effect.sync(() => {
          const missing = calls
            .slice(results.length)
            .map(({ id, name }): CallResult => ({ id, name, status: "skipped", result: stopped }))
          results.push(...missing)
        })
      )
    )
  })
