import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Atom from "effect/reactivity/Atom"
import { type Connection, connection, lostSince } from "../../state/connection.ts"
import { say } from "../../state/notices.ts"
import { registry } from "../../state/react.ts"
import { counted } from "../../ui/format.ts"
import { after } from "./progress.ts"
import { progressOf, runInView } from "./runInView.ts"
import { changed, noteState, source } from "./source.ts"

/** The callback for the first message after a loss of the connection. */
let onMessage: (() => void) | undefined

const all = ["runs", "suites", "nights", "load"] as const

/** Time after the first message in which missed events arrive. */
const catchUp_ms = 1000

/** Notes the state of the connection. When it's back, everything may have changed. */
export const connected = (state: Exclude<Connection, "connecting">): void => {
  const before = registry.get(connection)
  registry.set(connection, state)
  if (state === "lost") {
    if (before !== "lost") registry.set(lostSince, Date.now())
    return
  }
  const lost_ms = registry.get(lostSince) ?? Date.now()
  registry.set(lostSince, undefined)
  if (before !== "lost") return
  const run = registry.get(runInView)
  const seconds = Math.max(1, Math.round((Date.now() - lost_ms) / 1000))
  const from = run === null ? 0 : registry.get(progressOf(run)).position
  for (const what of all) changed(what)
  const tell = () => {
    const missed = run === null ? 0 : registry.get(progressOf(run)).position - from
    const rest = missed > 0 ? `Caught up with ${counted(missed, "event")} of this run` : "Up to date again"
    say(`The connection was lost for ${seconds} s. ${rest}.`)
  }
  onMessage = () => window.setTimeout(tell, catchUp_ms)
}

/** Brings events of the run in view, and reads again what has changed. The page mounts it once. */
export const live = Atom.make((get) => {
  const actions = get(source)?.actions
  const run = get(runInView)
  if (actions === null || actions === undefined) return Effect.void
  const from = run === null ? 0 : registry.get(progressOf(run)).position
  return actions.follow({ run, after: from }).pipe(
    Stream.runForEach((message) =>
      Effect.sync(() => {
        onMessage?.()
        onMessage = undefined
        if (message._tag === "Changed") return noteState(message.what, message.state)
        if (message._tag === "Ping") return
        const progress = progressOf(message.run)
        registry.set(progress, after(registry.get(progress), message))
        if (message._tag === "Finished") changed("runs")
      })
    ),
    Effect.catch(() =>
      Effect.sync(() => {
        connected("lost")
        // the command responds, and refuses this page
        registry.set(lostSince, undefined)
        // the session is over: every screen reads again, and shows how to get one
        for (const what of all) changed(what)
      })
    )
  )
})
