import { isTerminalRunStatus } from "@webagent/contract/v4"
import { type CallError, type OpenItem, RetryPolicy, Transport } from "@webagent/core"
import { Outcome, Sessions } from "@webagent/v3"
import { Browsers, Runs } from "@webagent/v4"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Claim } from "./Claims.ts"
import type { Target } from "../targets/Target.ts"

/** What has become of an item of the ledger. `Open` is what may go on, and cost. */
export type Finding =
  | { readonly _tag: "Stopped"; readonly item: OpenItem }
  | { readonly _tag: "Over"; readonly item: OpenItem; readonly status: string }
  | { readonly _tag: "Open"; readonly item: OpenItem; readonly why: string }
  | Exclude<Claim, { readonly _tag: "Left" }>

/** The key is not taken: nothing can be stopped with it. */
export class KeyRefused extends Data.TaggedError("KeyRefused") {}

const stoppable = new Set(["browser"])

/** Whether something of this kind can be stopped: the service describes no operation that ends a run or a session. */
export const isStoppable = ({ kind }: OpenItem): boolean => stoppable.has(kind)

/** Tries for as long as the reaper has: how often is not what counts. */
export const policy: RetryPolicy.RetryPolicy = {
  ...RetryPolicy.standard,
  retries: Number.MAX_SAFE_INTEGER,
  quota: Number.POSITIVE_INFINITY,
  cap: Duration.seconds(10),
  maxRetryAfter: Duration.infinity
}

const notFound = "the service does not find it, which does not say that it is over"

type Failure = CallError | { readonly _tag: "BrowserNotFoundError" | "RunNotFoundError" | "SessionNotFoundError" }

const whyOf = (error: Failure): string => {
  switch (error._tag) {
    case "BrowserNotFoundError":
    case "RunNotFoundError":
    case "SessionNotFoundError":
      return notFound
    default:
      return error.message
  }
}

const make = Effect.gen(function* () {
  const browsers = yield* Browsers
  const runs = yield* Runs
  const sessions = yield* Sessions
  const { closed } = yield* Transport

  /** What is over is noted in the ledger, here or by the client. */
  const settle = Effect.fnUntraced(function* (item: OpenItem, id: string, status: string, terminal: boolean) {
    if (!terminal) return { _tag: "Open", item, why: status } as const
    yield* closed(item.kind, id)
    return { _tag: "Over", item, status } as const
  })

  const attend = (item: OpenItem, id: string): Effect.Effect<Finding, Failure> => {
    switch (item.kind) {
      case "browser":
        return Effect.as(browsers.stop(id), { _tag: "Stopped", item })
      case "run":
        return Effect.flatMap(runs.status(id), ({ status }) => settle(item, id, status, isTerminalRunStatus(status)))
      case "session":
        return Effect.flatMap(sessions.get(id), (session) => {
          // a service may send no status: a result is then what says that it is over
          const { _tag } = Outcome.of(session)
          const status = session.status ?? (_tag === "Completed" ? "with a result" : "without a status")
          return settle(item, id, status, _tag !== "Unfinished")
        })
      default:
        return Effect.succeed({ _tag: "Open", item, why: "of a kind that is not known here" })
    }
  }

  return (claim: Claim): Effect.Effect<Finding, KeyRefused> =>
    claim._tag !== "Left"
      ? Effect.succeed(claim)
      : attend(claim.item, claim.id).pipe(
          Effect.catch((error) =>
            error._tag === "UnauthorizedError"
              ? Effect.fail(new KeyRefused())
              : Effect.succeed<Finding>({ _tag: "Open", item: claim.item, why: whyOf(error) })
          )
        )
})

/**
 * Stops what was left, by exact id, and looks at what cannot be stopped; tries again until `time` is over. What has
 * ended is closed in the ledger of the surroundings.
 */
export const reap = Effect.fnUntraced(function* (
  claims: ReadonlyArray<Claim>,
  time: Duration.Duration,
  onFinding: (finding: Finding) => Effect.Effect<void>
) {
  const attend = yield* make
  return yield* Effect.forEach(claims, (claim) => Effect.tap(attend(claim), onFinding), { concurrency: 8 }).pipe(
    RetryPolicy.within(time)
  )
})

/** The same at a target that is connected, noted in its ledger. */
export const reapAt = (
  { withClients }: Pick<Target, "withClients">,
  claims: ReadonlyArray<Claim>,
  time: Duration.Duration
): Effect.Effect<ReadonlyArray<Finding>, KeyRefused> =>
  withClients(
    policy,
    reap(claims, time, () => Effect.void)
  )
