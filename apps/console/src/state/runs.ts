import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { Console } from "./client.ts"
import { type Changing, changes } from "./live.ts"
import { registry } from "./react.ts"

/** Cancels runs by id or filter. Events then bring their new status. */
export const cancelRuns = Console.mutation("runs", "cancel")

/** Runs the tasks of runs again. */
export const retryRuns = Console.mutation("runs", "retry")

/** Starts a run. */
export const createRun = Console.mutation("runs", "create")

/** True if nothing more happens to a run with this status. */
export const isFinal = (status: string): boolean => ["completed", "failed", "cancelled"].includes(status)

/** Time between two reads of figures that events change. */
const pause_ms = 1500

/** Changes at most every 1.5 s while events about these records arrive, so that figures which depend on it are read again. */
export const settled = Atom.family((what: Changing) =>
  Atom.make((get) => {
    let timer: number | undefined
    get.subscribe(changes, (counts) => {
      timer ??= window.setTimeout(() => {
        timer = undefined
        get.setSelf(registry.get(changes)[what])
      }, pause_ms)
      return counts
    })
    get.addFinalizer(() => window.clearTimeout(timer))
    return registry.get(changes)[what]
  })
)

/** The value of a result, also while it's read again. */
export const valueOf = <A>(result: AsyncResult.AsyncResult<A, unknown>): A | undefined =>
  AsyncResult.isSuccess(result) ? result.value : undefined
