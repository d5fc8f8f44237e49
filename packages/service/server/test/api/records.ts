import { Browser, Session, Turn } from "@webagent/engine"
import * as records from "@webagent/test-fixtures/Records"
import type { Links } from "../../src/api/Links.ts"

export const turn = Turn.make(records.turn)
export const session = Session.make(records.session)
export const browser = Browser.make(records.browser)

/** The links of a server that shows no browser. */
export const links = (origin = "http://127.0.0.1:8080"): Links => ({
  to: (path) => `${origin}${path}?token=t`,
  showsBrowsers: false,
  live: () => null,
  control: () => null,
  driver: () => null,
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
