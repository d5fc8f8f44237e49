import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Breach } from "@webagent/report/Trial"
import { cut } from "@webagent/report/Text"
import type { TrialLog } from "./TrialLog.ts"
import { trialOfCode } from "./TrialTracer.ts"

/** A rejection's message, and the line of a suite that it is from where it has one. */
const sentence = (reason: unknown, log: TrialLog | undefined): string => {
  const who = log === undefined ? "no scenario awaited" : `${log.name} did not await`
  const isError = reason instanceof Error
  const what = isError ? `${reason.name}: ${reason.message}` : String(reason)
  const stack = isError ? (reason.stack ?? "") : ""
  const line = /\(?(?:file:\/\/)?(\/[^\s()]+\.suite\.\w+:\d+)(?::\d+)?\)?$/mu.exec(stack)?.[1]
  const where = line === undefined ? "" : `, ${line}`
  return `A promise that ${who} was rejected: ${cut(what.replaceAll(/\s+/gu, " "), 200)}${where}. Add the await.`
}

/** The rejections that no trial can be failed for, since they came after its end or from no trial; each is told once. */
export type Unawaited = Effect.Effect<ReadonlyArray<Breach>>

/**
 * Keeps a rejected promise that nothing awaited from ending the process, which would lose the report and leave runs
 * and browsers open. Until the scope closes, its reason is added to the log of its trial.
 */
export const collect: Effect.Effect<Unawaited, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const untold: Array<Breach> = []
      const add = (reason: unknown) => {
        const log = trialOfCode.getStore()
        if (log?.isOver === false) log.rejections.push(reason)
        else untold.push({ invariant: "promise-not-awaited", sentence: sentence(reason, log), resource: null })
      }
      process.on("unhandledRejection", add)
      return { untold, add }
    }),
    ({ add }) => Effect.sync(() => process.off("unhandledRejection", add))
  ),
  ({ untold }) =>
    // one that was rejected just now is told of in the next turn
    Effect.andThen(
      Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
      Effect.sync(() => untold.splice(0))
    )
)
