import type { Browser, RunDetails } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { Console } from "../../state/client.ts"
import { epoch, putBrowsers } from "../../state/live.ts"
import { settled } from "../../state/runs.ts"
import { recordingAt } from "../run/run.state.ts"

/** A browser with its links, and the recording of one that is stopped. */
export const browserPage = Atom.family((id: string) =>
  Console.runtime.atom((get) => {
    get(epoch)
    return Effect.gen(function* () {
      const client = yield* Console
      const params = { browser_id: id }
      const browser = yield* client.browsers.get({ params })
      putBrowsers([browser])
      const links = yield* client.browsers.links({ params })
      // a recording that can't be read takes nothing else with it
      const recording = yield* Effect.orElseSucceed(recordingAt(links.recordingUrl, browser), () => null)
      return { browser, links, recording }
    })
  })
)

/** The run that an agent carries out in a browser; null without one. It's read again while events about runs arrive. */
export const runIn = Atom.family((browserId: string) =>
  Console.runtime.atom((get) => {
    get(epoch)
    get(settled("runs"))
    return Effect.gen(function* () {
      const client = yield* Console
      const browser = yield* client.browsers.get({ params: { browser_id: browserId } })
      putBrowsers([browser])
      return browser.runId === null ? null : yield* client.runs.get({ params: { run_id: browser.runId } })
    })
  })
)

/** Returns who drives a browser: a person who has control, or otherwise its agent if it has a running run. */
export const driverOf = (
  { agentSessionId }: Pick<Browser, "agentSessionId">,
  person: string | null,
  run: Pick<RunDetails, "waitingFor"> | null
): string => {
  if (person !== null) return run === null ? person : `${person}; the agent is waiting`
  if (run !== null) return (run.waitingFor ?? null) === null ? "the agent" : "no one; the run is waiting for a person"
  return agentSessionId === null ? "a CDP client, if one is connected" : "no one; its session has no active run"
}

/** Takes control of a browser for a minute; taking it again extends it. */
export const takeControl = Console.mutation("browsers", "takeControl")

/** Releases control of a browser. */
export const releaseControl = Console.mutation("browsers", "releaseControl")

/** Stops browsers. */
export const stopBrowsers = Console.mutation("browsers", "stop")

/** For how long control is taken, and how often it's extended. */
export const holding = { seconds: 60, extend_ms: 25_000 }
