import type { Links } from "../../src/api/Links.ts"
import { Browser, Session, Turn } from "@webagent/engine"

/** A turn that was just queued, at time 0. */
export const turn: Turn.Turn = Turn.make({
  id: "00000000-0000-4000-8000-000000000001",
  sessionId: "00000000-0000-4000-8000-000000000002",
  task: "Find a red mug",
  model: "simulated",
  agentVersion: "simulated-1",
  modelParams: null,
  createdAt_ms: 0
})

/** The session of `turn`, with every default. */
export const session: Session.Session = Session.make({ id: turn.sessionId, thinkingLevel: null, createdAt_ms: 0 })

/** A browser that runs since time 0. */
export const browser: Browser.Browser = Browser.make({
  id: "00000000-0000-4000-8000-000000000003",
  proxyCountryCode: "no",
  startedAt_ms: 0
})

/** The links of a server that shows no browser. */
export const links = (origin = "http://127.0.0.1:8080"): Links => ({
  to: (path) => `${origin}${path}?token=t`,
  showsBrowsers: false,
  live: () => null,
  control: () => null,
  recording: () => null
})

/** The links of a server that shows and records every browser. */
export const seenLinks: Links = {
  ...links(),
  showsBrowsers: true,
  live: (id) => (id === null ? null : `see ${id}`),
  control: (id) => (id === null ? null : `take over ${id}`),
  recording: (id) => `watch ${id}`
}
