import { browserTimeout_ms, keyOf, stop } from "./flows/browsers.ts"
import type { Prepared } from "./Iteration.ts"
import { browsersLeaked, browsersStopped } from "./Metrics.ts"
import { type Answer, type Service, text } from "./Service.ts"
import type { Settings } from "./Settings.ts"

/** Whether an answer shows what an earlier request with the same key made. */
const isReplayed = ({ headers }: Answer): boolean => headers["Idempotency-Replayed"] === "true"

/** Whether the service answers a create that is sent twice under one key with one browser, and says so. */
export const keysAreHonoured = (service: Service, key: string): boolean => {
  const create = { body: {}, key }
  const answers = service.sendAll("v4.createBrowser", [create, create])
  const ids = new Set(answers.map((answer) => text(answer, "id")))
  for (const id of ids) if (id !== undefined && stop(service, id) === undefined) browsersLeaked.add(1)
  return ids.size === 1 && answers.filter(isReplayed).length === 1
}

/** Makes a browser and stops it. */
const stopNew = (service: Service, key: string): Answer | undefined => {
  const id = text(service.send("v4.createBrowser", { body: {}, key }), "id")
  return id === undefined ? undefined : stop(service, id)
}

const stoppedAt = (stopped: Answer | undefined): number => Date.parse(text(stopped, "finishedAt") ?? "")

const together = 20

/** How many of the newest browsers may have been open at the end. */
const mayBeOpen = ({ mix, rate, vus }: Settings): number =>
  vus === undefined ? Math.ceil((rate * mix.share("browsers") * browserTimeout_ms) / 1000) + 1 : vus * 20

/**
 * Stops the browsers of iterations that were cut off, as they are when a test is aborted. Virtual users share nothing
 * with the teardown, but their creates carry numbered keys: asked again for the same key, the service answers with the
 * browser that it made. Where it does not know such keys, nothing can find a browser whose create was cut off, and it
 * counts as leaked.
 */
export const reap = (settings: Settings, service: Service, prepared: Prepared): void => {
  const wasAborted = Date.now() - prepared.ready_ms < settings.duration_ms
  if (!wasAborted || !prepared.keysAreHonoured) return

  // by the service's own clock; a create says what the browser was like at first, so only its end tells
  const now = stoppedAt(stopNew(service, `load-${prepared.execution}-end`))
  // what the search made is shown again later, and was never counted
  const closed = new Set<string>()
  const close = (answer: Answer): void => {
    const id = text(answer, "id")
    if (id === undefined || closed.has(id)) return
    closed.add(id)
    const stopped = stop(service, id)
    if (stopped === undefined) {
      // it was counted, unless it is only made now
      browsersLeaked.add(isReplayed(answer) ? 0 : 1)
    } else if (isReplayed(answer) && stoppedAt(stopped) >= now) {
      browsersStopped.add(1)
      browsersLeaked.add(-1)
    }
  }
  const ask = (ordinal: number) => ({ body: {}, key: keyOf(prepared, ordinal) })
  /** Whether that many were begun; what asking makes is stopped. */
  const begun = (count: number): boolean => {
    const answer = service.send("v4.createBrowser", ask(count - 1))
    close(answer)
    return isReplayed(answer)
  }

  let [least, beyond] = [0, 1]
  while (begun(beyond)) [least, beyond] = [beyond, beyond * 2]
  while (beyond - least > 1) {
    const middle = Math.floor((least + beyond) / 2)
    if (begun(middle)) least = middle
    else beyond = middle
  }
  // a create may have been cut off before it was sent, so there can be some beyond the first that is missing
  const [first, end] = [Math.max(0, least - mayBeOpen(settings)), least + together]
  for (let next = first; next < end; next += together) {
    const count = Math.min(together, end - next)
    const requests = Array.from({ length: count }, (_, offset) => ask(next + offset))
    for (const answer of service.sendAll("v4.createBrowser", requests)) close(answer)
  }
}
