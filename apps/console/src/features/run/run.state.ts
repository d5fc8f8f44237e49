import type { ModelCall, RunStep } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { Console } from "../../state/client.ts"
import { epoch, liveCalls, liveSteps, putRuns, runRow } from "../../state/live.ts"

/** A run with its steps and model calls, as they were when the page was opened. Later changes come as events. */
export const runPage = Atom.family((id: string) =>
  Console.runtime.atom((get) => {
    get(epoch)
    return Effect.gen(function* () {
      const client = yield* Console
      const params = { run_id: id }
      const [run, steps, calls] = yield* Effect.all(
        [
          client.runs.get({ params }),
          client.runs.steps({ params, query: {} }),
          // a server that stores no model calls has none to show
          Effect.orElseSucceed(client.runs.modelCalls({ params, query: {} }), (): ReadonlyArray<ModelCall> => [])
        ],
        { concurrency: 3 }
      )
      putRuns([run])
      return { run, steps, calls }
    })
  })
)

/** True once a run is finished. Only then it has its result. */
export const isOver = Atom.family((id: string) => Atom.make((get) => (get(runRow(id))?.finishedAt ?? null) !== null))

const merged = <A extends { readonly number: number }>(read: ReadonlyArray<A>, live: ReadonlyMap<number, A>) =>
  [...new Map([...read.map((row) => [row.number, row] as const), ...live]).values()].toSorted(
    (a, b) => a.number - b.number
  )

/** The steps that were read, replaced and continued by those of events. */
export const mergeSteps: (read: ReadonlyArray<RunStep>, live: ReadonlyMap<number, RunStep>) => ReadonlyArray<RunStep> =
  merged

/** The model calls that were read, replaced and continued by those of events. */
export const mergeCalls: (
  read: ReadonlyArray<ModelCall>,
  live: ReadonlyMap<number, ModelCall>
) => ReadonlyArray<ModelCall> = merged

/** Forgets the events of a run when its page is closed, so that an hour of runs doesn't fill the memory. */
export const rowsOfRun = (id: string) => ({ steps: liveSteps(id), calls: liveCalls(id) })

/** Sends a follow-up to the session of a run. */
export const sendMessage = Console.mutation("runs", "message")

/** The runs of a session, oldest first. */
export const sessionRuns = Atom.family((sessionId: string) =>
  Console.runtime.atom((get) => {
    get(epoch)
    return Effect.gen(function* () {
      const client = yield* Console
      const { runList } = yield* client.sessions.get({ params: { session_id: sessionId } })
      putRuns(runList)
      return runList.map(({ id }) => id)
    })
  })
)
