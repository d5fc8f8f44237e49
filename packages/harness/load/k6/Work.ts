import { isLoopback } from "@webagent/contract/Loopback"
import { check, sleep } from "k6"
import { firstPause_ms, pauseAfter } from "../src/LoadTest.ts"
import type { Iteration } from "./Iteration.ts"
import { detectionDelay, pollsPerRun, runsCompleted, runsLost, timeToTerminal } from "./Metrics.ts"
import { type Answer, isSuccess } from "./Service.ts"

/** A piece of agent work that the service accepted, with the requests that read it. */
export interface Work {
  /** Reads the status once; undefined if there was no response. */
  readonly status: () => string | undefined
  readonly isTerminal: (status: string) => boolean
  /** Fetches the finished work as a whole. */
  readonly fetch: (status: string) => Found
  /** The expected final status; any terminal one by default. */
  readonly wanted?: string
}

/** Finished work. */
export interface Found {
  /** Its status is the polled one. */
  readonly agrees: boolean
  /** The result of the work. */
  readonly result: unknown
  /** Time of its end by the service's clock. */
  readonly finishedAt?: unknown
}

// one machine has one clock
const isThisMachine = (address: string): boolean =>
  isLoopback(/^https?:\/\/(\[[^\]]*\]|[^:/]*)/u.exec(address)?.[1] ?? "")

const millisOf = (time: unknown): number =>
  typeof time === "string" ? Date.parse(/(?:Z|[+-]\d\d:\d\d)$/u.test(time) ? time : `${time}Z`) : Number.NaN

/**
 * Sends a request that starts work. The work counts as lost until it is refused or `follow` finds it, even if there is no
 * response or k6 cuts the iteration off.
 */
export const begin = (send: () => Answer): Answer => {
  runsLost.add(1)
  const answer = send()
  if (!isSuccess(answer)) {
    runsCompleted.add(0)
    if (answer.status !== 0) runsLost.add(-1)
  }
  return answer
}

/** Waits until started work is finished, and fetches it. */
export const follow = ({ due_ms, settings }: Iteration, work: Work): void => {
  const deadline_ms = Date.now() + settings.runTimeout_ms
  const isEnded = (status: string | undefined): status is string => status !== undefined && work.isTerminal(status)
  let polls = 0
  let status: string | undefined
  for (let pause_ms = firstPause_ms; !isEnded(status) && Date.now() < deadline_ms; pause_ms = pauseAfter(pause_ms)) {
    sleep(pause_ms / 1000)
    status = work.status()
    polls++
  }
  const known_ms = Date.now()
  pollsPerRun.add(polls)

  let finished: Found = { agrees: false, result: undefined }
  if (isEnded(status)) {
    timeToTerminal.add(known_ms - due_ms)
    finished = work.fetch(status)
    const delay_ms = known_ms - millisOf(finished.finishedAt)
    // a service whose own clock goes at another speed has no delay to speak of
    if (isThisMachine(settings.address) && delay_ms >= 0 && delay_ms <= settings.runTimeout_ms)
      detectionDelay.add(delay_ms)
  }
  const isAsWished = isEnded(status) && (work.wanted === undefined || status === work.wanted)
  // what ends otherwise need not have come to anything
  const isFound =
    finished.agrees && (status !== work.wanted || (finished.result !== undefined && finished.result !== null))
  if (isFound) runsLost.add(-1)
  if (work.wanted !== undefined) runsCompleted.add(isFound && isAsWished ? 1 : 0)
  check(status, {
    "work ends as it should": () => isAsWished,
    "what is fetched agrees with the status, and has the result": () => isFound
  })
}
