import type { ControlClient, JournalEntry, OpenView, OracleVerdict, Verdicts } from "@webagent/control"
import type * as Simulation from "@webagent/simulation"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** The service's own record cannot be read. */
export class IntrospectionError extends Data.TaggedError("IntrospectionError")<{ readonly message: string }> {}

/** Observations that one of our servers makes about its usage, in addition to those of its clients. */
export interface Introspection {
  /** The rows that its journal has had since the last time that it was asked. */
  readonly rows: Effect.Effect<ReadonlyArray<JournalEntry>, IntrospectionError>
  /** By how much the server's own clock is ahead of this process's, in milliseconds. */
  readonly ahead_ms: number
  /** Verdicts of the oracles on some rows, without the state. */
  readonly verdictsOf: (rows: ReadonlyArray<JournalEntry>) => ReadonlyArray<OracleVerdict>
  /** Verdicts of the oracles on all rows of the server. */
  readonly verdicts: Effect.Effect<Verdicts, IntrospectionError>
  /** Resources that are not finished. */
  readonly open: Effect.Effect<OpenView, IntrospectionError>
  /** Ends a run or a session; answers whether it is over. */
  readonly end: (kind: string, id: string) => Effect.Effect<boolean>
  /** True if no other process can use the service. */
  readonly exclusive: boolean
}

const failed = (error: { readonly message: string }) =>
  new IntrospectionError({ message: `The control API cannot be read: ${error.message}` })

const pageSize = 5000
const looks = 3

/** Number of milliseconds by which the server's clock is ahead, from the fastest of several requests. */
export const aheadOf = Effect.fnUntraced(function* <E>(realNow_ms: Effect.Effect<number, E>) {
  let best = { took_ms: Number.POSITIVE_INFINITY, ahead_ms: 0 }
  for (let look = 0; look < looks; look++) {
    const began_ms = yield* Clock.currentTimeMillis
    const theirs_ms = yield* realNow_ms
    const ended_ms = yield* Clock.currentTimeMillis
    const took_ms = ended_ms - began_ms
    if (took_ms < best.took_ms) best = { took_ms, ahead_ms: theirs_ms - (began_ms + ended_ms) / 2 }
  }
  // less than what a look takes is nothing that a look can tell
  return Math.abs(best.ahead_ms) <= best.took_ms + 1 ? 0 : Math.round(best.ahead_ms)
})

/** Reads a server through its control API, from now on. */
export const remote = Effect.fnUntraced(
  function* (control: ControlClient.ControlClient, verdictsOf: typeof Simulation.verdictsOf) {
    const oneAtATime = yield* Semaphore.make(1)
    const profile = yield* control.behaviour.getProfile()
    const pollInterval_ms = profile.pollInterval === undefined ? undefined : Duration.toMillis(profile.pollInterval)
    let after = (yield* control.record.getJournal({ query: { limit: 1 } })).written
    return {
      rows: Effect.gen(function* () {
        const rows: Array<JournalEntry> = []
        while (true) {
          const view = yield* control.record.getJournal({ query: { after, limit: pageSize } })
          // one that was reset begins anew
          if (view.written < after) {
            after = 0
            continue
          }
          rows.push(...view.entries)
          after = view.next
          if (view.next >= view.written) return rows
        }
      }).pipe(Effect.mapError(failed), oneAtATime.withPermit),
      ahead_ms: yield* aheadOf(Effect.map(control.state.getTime(), ({ realNow_ms }) => realNow_ms)),
      verdictsOf: (rows) => verdictsOf(rows, { pollInterval_ms }),
      verdicts: Effect.mapError(control.record.getVerdicts(), failed),
      open: Effect.mapError(control.record.getOpen(), failed),
      end: (kind, id) =>
        (kind === "session"
          ? control.operations.stopSession({ params: { session_id: id } })
          : control.operations.cancelRun({ params: { run_id: id } })
        ).pipe(
          Effect.as(true),
          Effect.orElseSucceed(() => false)
        ),
      exclusive: false
    } satisfies Introspection
  },
  Effect.mapError((error) => (error instanceof IntrospectionError ? error : failed(error)))
)
