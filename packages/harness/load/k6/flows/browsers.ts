import { stopAction } from "@webagent/contract/Wire"
import { check } from "k6"
import type { Flow, Prepared } from "../Iteration.ts"
import { browsersCutOff, browsersLeaked, browsersStopped, newestBrowser } from "../Metrics.ts"
import { type Answer, isSuccess, requestTimeout_ms, type Service, text } from "../Service.ts"

const attempts = 3

/** The longest time that one start of this flow can take. */
export const browserTimeout_ms = 2 * attempts * requestTimeout_ms

/** The key of the nth create. */
export const keyOf = ({ execution }: Prepared, ordinal: number): string => `load-${execution}-${ordinal}`

/** Stops a browser with up to three attempts. Returns the response; undefined if it was not stopped. */
export const stop = (service: Service, id: string): Answer | undefined => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = service.send("v4.updateBrowser", { id, body: { action: stopAction } })
    if (isSuccess(answer)) return answer
  }
  return undefined
}

const isAnswered = ({ status }: Answer) => status !== 0

/** Creates a browser and stops it. */
export const browsers: Flow = ({ ordinal, prepared, service }) => {
  // Leaked from before it is asked for until it is known to be stopped or never made. k6 runs no `finally` when it cuts
  // an iteration off; this is what it leaves behind, for the end of the test to find.
  newestBrowser.add(ordinal)
  browsersCutOff.add(1)
  browsersLeaked.add(1)
  const create = () =>
    service.send("v4.createBrowser", {
      body: {},
      ...(prepared.keysAreHonoured ? { key: keyOf(prepared, ordinal) } : {})
    })
  let browser = create()
  for (let attempt = 1; prepared.keysAreHonoured && !isAnswered(browser) && attempt < attempts; attempt++)
    browser = create()

  const id = text(browser, "id")
  check(id, { "a created browser has an id": (id) => id !== undefined })
  if (id === undefined) {
    browsersStopped.add(0)
    // without a response a browser may exist
    if (isAnswered(browser) && !isSuccess(browser)) browsersLeaked.add(-1)
    browsersCutOff.add(-1)
    return
  }
  check(browser, { "a browser has an address for CDP": () => text(browser, "cdpUrl") !== undefined })
  const stopped = stop(service, id) !== undefined
  browsersStopped.add(stopped ? 1 : 0)
  browsersLeaked.add(stopped ? -1 : 0)
  browsersCutOff.add(-1)
}
