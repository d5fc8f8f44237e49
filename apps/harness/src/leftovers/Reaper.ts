import { isTerminalTaskStatus } from "@webagent/contract/v2"
import { isTerminalRunStatus } from "@webagent/contract/v4"
import { type CallError, type OpenItem, type OperationUnavailableError, RetryPolicy, Transport } from "@webagent/core"
import { Tasks } from "@webagent/v2"
import { Outcome, Sessions } from "@webagent/v3"
import { Browsers, Runs } from "@webagent/v4"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Leftover } from "./Leftover.ts"
import * as Cancellation from "../targets/Cancellation.ts"
import type { Introspection } from "../targets/Introspection.ts"
import { sender } from "../targets/Sender.ts"
import type { Target } from "../targets/Target.ts"

/** The key is not taken: nothing can be stopped with it. */
export class KeyRefused extends Data.TaggedError("KeyRefused") {}

const stoppable = new Set(["browser", "run", "session", "task"])

/** True if resources of this kind can be stopped. A service may lack the operation for all but browsers. */
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

const unserved = "the service offers no way to end it"

const unended = "the service didn't stop it"

type Absence = "BrowserNotFoundError" | "RunNotFoundError" | "SessionNotFoundError" | "TaskNotFoundError"

type Failure = CallError | OperationUnavailableError | { readonly _tag: Absence }

const whyOf = (error: Failure): string => {
  switch (error._tag) {
    case "BrowserNotFoundError":
    case "RunNotFoundError":
    case "SessionNotFoundError":
    case "TaskNotFoundError":
      return notFound
    case "OperationUnavailableError":
      return unserved
    default:
      return error.message
  }
}

const make = Effect.fnUntraced(function* (cancel: Cancellation.Cancel) {
  const browsers = yield* Browsers
  const runs = yield* Runs
  const sessions = yield* Sessions
  const tasks = yield* Tasks
  const { closed } = yield* Transport

  /** Stops a leftover that is still running, if the service can, and records in the ledger that it is finished. */
  const settle = Effect.fnUntraced(function* (left: Leftover, id: string, status: string, terminal: boolean) {
    const cancelled = terminal ? undefined : yield* cancel(left.item.kind, id)
    if (cancelled === "unserved" || cancelled === "running") {
      return { ...left, state: "open", why: `${status}; ${cancelled === "unserved" ? unserved : unended}` } as const
    }
    yield* closed(left.item.kind, id)
    return cancelled === "over"
      ? ({ ...left, state: "stopped", why: "" } as const)
      : ({ ...left, state: "over", why: status } as const)
  })

  /** Stops a task that is still running. The client removes a finished one from the ledger. */
  const endTask = Effect.fnUntraced(function* (left: Leftover, id: string) {
    const { status } = yield* tasks.status(id)
    if (isTerminalTaskStatus(status)) return { ...left, state: "over", why: status } as const
    const stopped = yield* tasks.stop(id)
    return isTerminalTaskStatus(stopped.status)
      ? ({ ...left, state: "stopped", why: "" } as const)
      : ({ ...left, state: "open", why: `${stopped.status}; ${unended}` } as const)
  })

  const attend = (left: Leftover, id: string): Effect.Effect<Leftover, Failure> => {
    switch (left.item.kind) {
      case "browser":
        return Effect.as(browsers.stop(id), { ...left, state: "stopped", why: "" })
      case "run":
        return Effect.flatMap(runs.status(id), ({ status }) => settle(left, id, status, isTerminalRunStatus(status)))
      case "session":
        return Effect.flatMap(sessions.get(id), (session) => {
          // a service may send no status: a result is then what says that it is over
          const { _tag } = Outcome.of(session)
          const status = session.status ?? (_tag === "Completed" ? "with a result" : "without a status")
          return settle(left, id, status, _tag !== "Unfinished")
        })
      case "task":
        return endTask(left, id)
      default:
        return Effect.succeed({ ...left, state: "open", why: "of an unknown kind" })
    }
  }

  return (left: Leftover): Effect.Effect<Leftover, KeyRefused> =>
    left.state !== "left" || left.item.id === undefined
      ? Effect.succeed(left)
      : attend(left, left.item.id).pipe(
          Effect.catch((error) =>
            error._tag === "UnauthorizedError"
              ? Effect.fail(new KeyRefused())
              : Effect.succeed<Leftover>({ ...left, state: "open", why: whyOf(error) })
          )
        )
})

/** Ends runs and sessions with the address and key of the clients, or through a server's control API. */
export const canceller = (control: Introspection["end"] | undefined) =>
  Effect.map(sender, (send) => Cancellation.orThrough(control, Cancellation.published(send)))

/**
 * Stops what was left, by exact id, and reads the state of the rest; retries until `time` is over. Everything that is over
 * is closed in the current ledger.
 *
 * @param cancel Ends a run or a session that is still running.
 */
export const reap = Effect.fnUntraced(function* (
  leftovers: ReadonlyArray<Leftover>,
  time: Duration.Duration,
  onReaped: (leftover: Leftover) => Effect.Effect<void>,
  cancel: Cancellation.Cancel
) {
  const attend = yield* make(cancel)
  return yield* Effect.forEach(leftovers, (left) => Effect.tap(attend(left), onReaped), { concurrency: 8 }).pipe(
    RetryPolicy.within(time)
  )
})

/** The same for a connected target, with its ledger, and with its control API if that is open to us. */
export const reapAt = (
  { cancel, withClients }: Target,
  leftovers: ReadonlyArray<Leftover>,
  time: Duration.Duration
): Effect.Effect<ReadonlyArray<Leftover>, KeyRefused> =>
  withClients(
    policy,
    reap(leftovers, time, () => Effect.void, cancel)
  )
