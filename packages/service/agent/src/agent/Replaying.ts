import type { StepCall, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { type BrowserLost, Refused } from "../page/Failures.ts"
import { bounded, type ShownElement } from "../page/Look.ts"
import type { Page } from "../page/Page.ts"
import type * as Calls from "./Calls.ts"
import * as Proving from "./Proving.ts"
import type { Seen } from "./Seen.ts"

/** A recorded step that can be repeated, by the calls that succeeded. */
interface Planned {
  readonly step: Turn.TurnStep
  readonly calls: ReadonlyArray<StepCall.StepCall>
}

/** The next step of a replay: recorded calls, or a question to the model. */
export type Next =
  | { readonly _tag: "Repeat"; readonly step: Turn.TurnStep; readonly calls: ReadonlyArray<Calls.Call> }
  | { readonly _tag: "Ask"; readonly problem: string; readonly remark: string }

interface ReplayingOptions {
  readonly recorded: ReadonlyArray<Turn.TurnStep>
  readonly page: Pick<Page, "look" | "recall" | "rememberFocused" | "rememberPage">
  readonly seen: Seen
}

/** Tools that a replay leaves out, because they are about what the model knows. */
const leftOut: ReadonlySet<string> = new Set(["note", "resume"])

/** The number of recorded steps that a model is shown. */
const shownSteps = 12

const planOf = (recorded: ReadonlyArray<Turn.TurnStep>): ReadonlyArray<Planned> =>
  recorded.flatMap((step) => {
    const calls = (step.calls ?? []).filter(({ status, tool }) => status === "done" && !leftOut.has(tool))
    return calls.length === 0 ? [] : [{ step, calls }]
  })

/** The end of a replay whose recorded steps were deleted in the meantime. */
export const gone = ({ of }: StepCall.Replay) => ({
  problem: `The steps of run ${of} are gone. Create the run again without replayOf.`
})

/** Repeats the steps of an earlier turn. Without recorded steps, the model decides about each step. */
export const make = ({ page, recorded, seen }: ReplayingOptions) => {
  const plan = planOf(recorded)
  const prove = Proving.make({ page, seen, calls: plan.flatMap(({ calls }) => calls) })
  /** The step that is repeated next, and the number of its calls that were made. */
  let at = 0
  let made = 0
  /** The reason why the model has to be asked. */
  let problem: string | undefined
  let isMoved = false
  let recalled: ReadonlyArray<ShownElement> = []
  const records = new Map<string, StepCall.StepCall>()
  /** Completes a recorded call with the numbers of its elements on this page. */
  const prepare = Effect.fnUntraced(function* (call: Calls.Call): Effect.fn.Return<Calls.Call, BrowserLost | Refused> {
    const record = records.get(call.id)
    if (record === undefined) return call
    const proven = yield* prove(record)
    isMoved ||= proven.isMoved
    recalled = [...recalled, ...proven.recalled]
    return { ...call, params: { ...record.params, ...proven.numbers } }
  })

  const lineOf = ({ step }: Planned, index: number) =>
    `${index + 1}. ${step.summary.replaceAll(/\s+/gu, " ").slice(0, 200)}`

  const question = Effect.fnUntraced(function* (reason: string) {
    const rest = plan.slice(at, at + shownSteps).map((planned, index) => lineOf(planned, at + index))
    const more = plan.length - at - rest.length
    const steps = yield* bounded([reason, ...rest, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"))
    return `You repeat an earlier run of this task, and step ${at + 1} of ${plan.length} can't be repeated. The reason, and the recorded steps from there on:
${steps}
Do in another way what the step did, and call resume with the number of the step to go on with. If all is done, call done.`
  })

  return {
    isReplay: plan.length > 0,
    /** The number of recorded steps. */
    length: plan.length,
    prepare,
    /** The elements that recorded calls were made on, as this page has them. */
    recalled: () => recalled,
    /** Returns the next step; undefined if this is no replay. */
    next: Effect.gen(function* (): Effect.fn.Return<Next | undefined> {
      if (plan.length === 0) return undefined
      const planned = plan[at]
      if (planned === undefined) problem ??= "All recorded steps were repeated."
      if (problem !== undefined || planned === undefined) {
        const reason = problem ?? ""
        const what =
          planned === undefined
            ? reason
            : `Step ${at + 1} of ${plan.length} can't be repeated (${planned.step.title ?? planned.step.summary}): ${reason}`
        return { _tag: "Ask", problem: what, remark: yield* question(reason) }
      }
      isMoved = false
      recalled = []
      records.clear()
      const calls = planned.calls.slice(made).map((record, index): Calls.Call => {
        const id = `replay_${at + 1}_${made + index + 1}`
        records.set(id, record)
        return { id, name: record.tool, params: record.params }
      })
      return { _tag: "Repeat", step: planned.step, calls }
    }),
    /** Notes the end of a step that was repeated, and returns how it was. */
    repeated: ({ results }: Pick<Calls.Outcome, "results">): StepCall.Repetition | undefined => {
      const done = results.findIndex(({ status }) => status !== "done")
      const first = results[done]
      if (first === undefined) {
        at += 1
        made = 0
        return isMoved ? "healed" : "replayed"
      }
      // the rest of a step is repeated once the page that it led to is there
      made += done
      if (first.status === "failed") problem = first.result
      return undefined
    },
    /** Goes on with a recorded step. */
    resume: (number: number): Effect.Effect<string, Refused> => {
      if (number < 1 || number > plan.length) {
        return Effect.fail(new Refused({ message: `There is no step ${number}: the recorded run has ${plan.length}.` }))
      }
      return Effect.sync(() => {
        if (number !== at + 1) made = 0
        at = number - 1
        problem = undefined
        return "The recorded steps go on."
      })
    }
  }
}

export type Replaying = ReturnType<typeof make>
