/**
 * Reads a v2 session with its tasks: outcomes, times and costs.
 *
 * Run: SESSION_ID=... WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 23_v2-session
 */
import { toDateTime } from "@webagent/contract"
import { Sessions, V2 } from "@webagent/v2"
import * as Config from "effect/Config"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const program = Effect.gen(function* () {
  const sessions = yield* Sessions
  // waits until every task is finished, failed or stopped
  const session = yield* sessions.untilTerminal(yield* Config.String("SESSION_ID"))
  return session.tasks.map((task) => ({
    status: task.status,
    output: task.output,
    // the agent's own report and the judge's verdict; null if unknown
    isSuccess: task.isSuccess,
    judgeVerdict: task.judgeVerdict,
    // times of tasks have no time zone; they're UTC
    createdAt: Option.getOrNull(Option.map(toDateTime(task.createdAt), DateTime.formatIso)),
    // a decimal string in USD
    cost: task.cost ?? "0"
  }))
})

export const layer = V2.layer()
