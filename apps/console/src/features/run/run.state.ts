import type { Attachment, Browser, ModelCall, Run, RunDetails, RunStep } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { Console, pathOf } from "../../state/client.ts"
import { epoch, liveCalls, liveSteps, newRuns, putBrowsers, putRuns, runRow } from "../../state/live.ts"
import { registry } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"

/** A recording that can be watched. */
export interface RecordingFile {
  /** Path and query on this origin. */
  readonly address: string
  /** True if a page can play it; a server without ffmpeg keeps pages of pictures instead. */
  readonly isVideo: boolean
  readonly browser: Pick<Browser, "startedAt" | "finishedAt">
}

/** Reads whether a recording is there, and how it plays; null if it's missing. */
export const recordingAt = Effect.fnUntraced(function* (url: string | null, browser: RecordingFile["browser"]) {
  const address = url === null ? undefined : pathOf(url)
  if (address === undefined) return null
  const response = yield* Effect.tryPromise(() => fetch(address, { method: "HEAD" }))
  if (!response.ok) return null
  const isVideo = response.headers.get("content-type")?.startsWith("video/") ?? false
  return { address, isVideo, browser } satisfies RecordingFile
})

const recordingOf = Effect.fnUntraced(function* ({
  browserId,
  recordingUrl
}: Pick<RunDetails, "browserId" | "recordingUrl">) {
  if (recordingUrl === null || browserId === null) return null
  const client = yield* Console
  return yield* recordingAt(recordingUrl, yield* client.browsers.get({ params: { browser_id: browserId } }))
})

/** Reads the browser of a run, and with it who drives it and whether it's recorded, unless its recording is there. */
const readBrowser = Effect.fnUntraced(function* ({ browserId, recordingUrl }: RunDetails) {
  if (browserId === null || recordingUrl !== null) return
  const client = yield* Console
  putBrowsers([yield* client.browsers.get({ params: { browser_id: browserId } })])
})

/** A run with its steps and model calls, as they were when the page was opened. Later changes come as events. */
export const runPage = Atom.family((id: string) =>
  Console.runtime.atom((get) => {
    get(epoch)
    return Effect.gen(function* () {
      const client = yield* Console
      const params = { run_id: id }
      const [run, steps, calls, attachments] = yield* Effect.all(
        [
          client.runs.get({ params }),
          client.runs.steps({ params, query: {} }),
          // a server that stores no model calls has none to show
          Effect.orElseSucceed(client.runs.modelCalls({ params, query: {} }), (): ReadonlyArray<ModelCall> => []),
          Effect.orElseSucceed(client.files.attachments({ params }), (): ReadonlyArray<Attachment> => [])
        ],
        { concurrency: 4 }
      )
      putRuns([run])
      // a recording that was deleted takes nothing else with it
      const [recording] = yield* Effect.all(
        [Effect.orElseSucceed(recordingOf(run), () => null), Effect.ignore(readBrowser(run))],
        { concurrency: 2 }
      )
      return { run, steps, calls, attachments, recording }
    })
  })
)

/** Progress of a run: with its first step it has its browser, and when it's over its result. */
export const stageOfRun = ({ finishedAt, steps }: Pick<Run, "finishedAt" | "steps">): number =>
  finishedAt !== null ? 2 : steps > 0 ? 1 : 0

/** The newest progress of a run. */
export const stageOf = Atom.family((id: string) =>
  Atom.make((get) => {
    const row = get(runRow(id))
    return row === undefined ? 0 : stageOfRun(row)
  })
)

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

/** The runs of a session that began, and the follow-ups that wait. */
export const sessionParts = Atom.family((sessionId: string) =>
  Atom.make((get) => {
    const result = get(sessionRuns(sessionId))
    const read = valueOf(result) ?? []
    // a session never changes, so these rows need no subscription
    const fresh = get(newRuns).filter((id) => registry.get(runRow(id))?.sessionId === sessionId)
    const ids = [...new Set([...read, ...fresh])]
    const isQueued = (id: string) => get(runRow(id))?.status === "queued"
    return { begun: ids.filter((id) => !isQueued(id)), queue: ids.filter(isQueued) }
  })
)
