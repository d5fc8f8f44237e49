import type { Run, WaitingFor } from "@webagent/admin"
import * as Effect from "effect/Effect"
import { Console } from "../../state/client.ts"
import { epoch, putRuns } from "../../state/live.ts"
import { settled } from "../../state/runs.ts"

/** Ids of the runs that wait for a person, newest first. Empty for a server that asks no person. */
export const waitingRuns = Console.runtime.atom((get) => {
  get(epoch)
  get(settled("runs"))
  return Effect.gen(function* () {
    const client = yield* Console
    const { rows } = yield* client.runs.list({ query: { waiting: "true", limit: 20 } })
    putRuns(rows)
    return rows.filter(({ waitingFor = null }) => waitingFor !== null).map(({ id }) => id)
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
})

/** Answers the question of a run. */
export const answerRun = Console.mutation("runs", "answer")

const headings: Readonly<Record<string, string>> = {
  question: "This run has a question",
  approval: "This run needs approval",
  sign_in: "This run needs a person to sign in",
  captcha: "This run needs a person to solve a captcha",
  payment: "This run needs a person to pay",
  max_cost: "This run has reached its cost limit"
}

/** The heading of a question. */
export const headingOf = ({ reason }: Pick<WaitingFor, "reason">): string =>
  headings[reason] ?? "This run has a question"

const effects: Readonly<Record<string, string>> = {
  fail: "the run fails",
  skip: "the run skips this part of the task",
  continue: "the agent decides on its own"
}

/** The effect of no answer, as the end of a sentence. */
export const effectOf = ({ reason, whenUnanswered }: Pick<WaitingFor, "reason" | "whenUnanswered">): string =>
  // an action is never carried out without its approval
  reason === "approval" && whenUnanswered === "continue"
    ? "the action is refused, and the run continues"
    : (effects[whenUnanswered] ?? "the run continues")

const lacks: Readonly<Record<string, string>> = {
  browsers: "all browsers are in use",
  key: "its API key has reached its browser limit",
  memory: "the server is low on memory"
}

/** The reason why a run has no browser yet. */
export const lackOf = ({ reason }: NonNullable<Run["browserQueue"]>): string => lacks[reason] ?? "no browser is free"
