import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Breach } from "@webagent/report/Breach"
import { cut } from "@webagent/cli/Text"
import type { TrialLog } from "./TrialLog.ts"
import * as Rejections from "./Rejections.ts"
import { trialOfCode } from "./TrialTracer.ts"

/** Tracks promises that trials reject without awaiting them, for a command. */
export interface Unawaited {
  /** From now on the verdict of this trial is known: a rejection of it cannot change it any more. */
  readonly ended: (log: TrialLog) => void
  /** Rejections after their trial, or of no trial. Each is reported once. */
  readonly breaches: Effect.Effect<ReadonlyArray<Breach>>
}

const breach = (reason: unknown, log: TrialLog | undefined): Breach => {
  const isError = reason instanceof Error
  const message = isError ? `${reason.name}: ${reason.message}` : String(reason)
  const stack = isError ? (reason.stack ?? "") : ""
  const where = /\(?(?:file:\/\/)?(\/[^\s()]+\.suite\.\w+:\d+)(?::\d+)?\)?$/mu.exec(stack)?.[1]
  return {
    invariant: "promise-not-awaited",
    resource: null,
    facts: {
      _tag: "PromiseNotAwaited",
      scenario: log?.name ?? null,
      error: cut(message.replaceAll(/\s+/gu, " "), 200),
      ...(where === undefined ? {} : { where })
    }
  }
}

/**
 * Keeps a rejected promise that nothing awaited from ending the process, which would lose the report and leave runs
 * and browsers open. Until the scope closes, its reason is added to the log of its trial.
 */
export const collect: Effect.Effect<Unawaited, never, Scope.Scope> = Effect.gen(function* () {
  const unreported: Array<Breach> = []
  const over = new WeakSet<TrialLog>()
  const add = (reason: unknown) => {
    const log = trialOfCode.getStore()
    if (log === undefined || over.has(log)) unreported.push(breach(reason, log))
    else if (!log.rejections.includes(reason)) log.rejections.push(reason)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => Rejections.listen(add)),
    (stop) => Effect.sync(stop)
  )
  return {
    ended: (log) => {
      over.add(log)
      unreported.push(...log.rejections.splice(0).map((reason) => breach(reason, log)))
    },
    // one that was rejected just now is told of in the next turn
    breaches: Effect.andThen(
      Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
      Effect.sync(() => unreported.splice(0))
    )
  }
})
