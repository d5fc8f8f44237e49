import { browserTimeout_ms, keyOf, stop } from "./flows/browsers.ts"
import type { Prepared } from "./Iteration.ts"
import { type Answer, isSuccess, type Service, text } from "./Service.ts"
import type { Settings } from "./Settings.ts"

/** Returns whether a response repeats that of an earlier request with the same key. */
const isReplayed = ({ headers }: Answer): boolean => headers["Idempotency-Replayed"] === "true"

/**
 * Returns whether the request may have created something: it may have if the response was lost, but not if it was
 * refused.
 */
const mayHaveMade = (answer: Answer): boolean => answer.status === 0 || isSuccess(answer)

/** The result of creating one browser twice. */
export interface Probe {
  /** Both creates returned the same browser, and the service reported the second one as a repetition. */
  readonly keysAreHonoured: boolean
  /** Browsers that are not known to be stopped. */
  readonly leaked: number
}

/** Number of browsers that a probe may create: one per create, if keys aren't honored. */
export const creates = 2

/** The key of the probe of an execution. */
export const probeKey = (execution: string): string => `load-${execution}-probe`

/** Creates a browser twice under one key, and stops what there is. */
export const probe = (service: Service, key: string): Probe => {
  const answers = service.sendAll(
    "v4.createBrowser",
    Array.from({ length: creates }, () => ({ body: {}, key }))
  )
  const ids = new Set(answers.map((answer) => text(answer, "id")))
  const unknown = answers.filter((answer) => mayHaveMade(answer) && text(answer, "id") === undefined).length
  const open = [...ids].filter((id) => id !== undefined && stop(service, id) === undefined).length
  return { keysAreHonoured: ids.size === 1 && answers.some(isReplayed), leaked: unknown + open }
}

/** Browsers of a load test after the end of k6. */
export interface Left {
  /** The number of the newest create that was sent. */
  readonly newest: number
  /** Number of starts that k6 cut off. */
  readonly cutOff: number
  /** Browsers that are not known to be stopped, those of these starts among them. */
  readonly leaked: number
}

/** The result of looking for leaked browsers. */
interface Reaped {
  /** Number of cut-off starts whose browser is known to be stopped or was never created. */
  readonly settled: number
  /** Number of browsers that were stopped now. */
  readonly stopped: number
  /** Browsers that this search created and could not stop. */
  readonly leaked: number
}

const together = 20

// a summary that takes longer than two minutes is never written
const patience_ms = 60_000

/** Returns the number of newest browsers that may have been open at the end. */
const mayBeOpen = ({ mix, rate, vus }: Settings): number =>
  vus === undefined ? Math.ceil((rate * mix.share("browsers") * browserTimeout_ms) / 1000) + 1 : vus * 20

const stoppedAt = (stopped: Answer | undefined): number => Date.parse(text(stopped, "finishedAt") ?? "")

/**
 * Stops the browsers of starts that were cut off, as they are when a test is aborted. Virtual users share nothing with
 * the end of a test, but their creates carry numbered keys: asked again for the same key, the service answers with the
 * browser that it made. For a service that honours such keys.
 */
export const reap = (settings: Settings, service: Service, prepared: Prepared, left: Left): Reaped => {
  const { cutOff, newest } = left
  const deadline_ms = Date.now() + patience_ms
  const nothing = { settled: 0, stopped: 0, leaked: 0 }

  // By the service's own clock; a create says what the browser was like at first, so only its end tells. A service that
  // does not stop this one would be left with more of them.
  const last = service.send("v4.createBrowser", { body: {}, key: `load-${prepared.execution}-end` })
  const id = text(last, "id")
  const stopResponse = id === undefined ? undefined : stop(service, id)
  if (stopResponse === undefined) return { ...nothing, leaked: mayHaveMade(last) ? 1 : 0 }
  const now = stoppedAt(stopResponse)

  let [stopped, leaked, areAllStopped] = [0, 0, true]
  const close = (answer: Answer): void => {
    const id = text(answer, "id")
    const end = id === undefined || Date.now() > deadline_ms ? undefined : stop(service, id)
    if (end === undefined) {
      areAllStopped = false
      // what is replayed was counted when it was begun
      if (!isReplayed(answer) && mayHaveMade(answer)) leaked++
    } else if (isReplayed(answer) && stoppedAt(end) >= now) stopped++
  }
  const first = Math.max(0, newest + 1 - mayBeOpen(settings))
  let end = newest + 1
  for (; end > first && stopped < left.leaked && Date.now() < deadline_ms; end = Math.max(first, end - together)) {
    const begin = Math.max(first, end - together)
    const requests = Array.from({ length: end - begin }, (_, offset) => ({
      body: {},
      key: keyOf(prepared, begin + offset)
    }))
    for (const answer of service.sendAll("v4.createBrowser", requests)) close(answer)
  }
  // when every browser ever created is stopped, every create that was cut off is settled
  const settled = end === 0 && areAllStopped ? cutOff : Math.min(cutOff, stopped)
  return { settled, stopped: Math.min(cutOff, stopped), leaked }
}
