import { isLoopback } from "@webagent/contract/Loopback"
import { check, sleep } from "k6"
import { firstPause_ms, pauseAfter } from "../src/LoadTest.ts"
import type { Iteration } from "./Iteration.ts"
import { detectionDelay, pollsPerRun, runsCompleted, runsLost, timeToTerminal } from "./Metrics.ts"
import { type Answer, isSuccess } from "./Service.ts"

/** A piece of agent work that the service has accepted, and how to find out about it. */
export interface Work {
  /** Asks once; undefined when there was no answer. */
  readonly status: () => string | undefined
  readonly isTerminal: (status: string) => boolean
  /** Fetches the finished work as a whole. */
  readonly fetch: (status: string) => Found
  /** The status that it should end with; any terminal one when it is not given. */
  readonly wanted?: string
}

/** Ended work. */
export interface Found {
  /** True if it agrees with the status. */
  readonly agrees: boolean
  /** The result of the work. */
  readonly result: unknown
  /** When it ended by the service's clock. */
  readonly finishedAt?: unknown
}

// one machine has one clock
const isThisMachine = (address: string): boolean =>
  isLoopback(/^https?:\/\/(\[[^\]]*\]|[^:/]*)/u.exec(address)?.[1] ?? "")

const millisOf = (time: unknown): number =>
  typeof time === "string" ? Date.parse(/(?:Z|[+-]\d\d:\d\d)$/u.test(time) ? time : `${time}Z`) : Number.NaN

/**
 * Sends what begins work. From then on it is lost, until it is refused or `follow` has found it: also when there is no
 * answer, or k6 cuts the iteration off.
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

/** Waits for the end of work that was begun, and fetches it. */
export const follow = ({ due_ms, settings }: Iteration, work: Work): void => {
  const deadline_ms = Date.now() + settings.runTimeout_ms
  const ended = (status: string | undefined): status is string => status !== undefined && work.isTerminal(status)
  let polls = 0
  let status: string | undefined
  for (let pause_ms = firstPause_ms; !ended(status) && Date.now() < deadline_ms; pause_ms = pauseAfter(pause_ms)) {
    sleep(pause_ms / 1000)
    status = work.status()
    polls++
  }
  const known_ms = Date.now()
  pollsPerRun.add(polls)

  let found: Found = { agrees: false, result: undefined }
  if (ended(status)) {
    timeToTerminal.add(known_ms - due_ms)
    found = work.fetch(status)
    const delay_ms = known_ms - millisOf(found.finishedAt)
    // a service whose own clock goes at another speed has no delay to speak of
    if (isThisMachine(settings.address) && delay_ms >= 0 && delay_ms <= settings.runTimeout_ms)
      detectionDelay.add(delay_ms)
  }
  const isAsWished = ended(status) && (work.wanted === undefined || status === work.wanted)
  // what ends otherwise need not have come to anything
  const isFound = found.agrees && (status !== work.wanted || (found.result !== undefined && found.result !== null))
  if (isFound) runsLost.add(-1)
  if (work.wanted !== undefined) runsCompleted.add(isFound && isAsWished ? 1 : 0)
  check(status, {
    "work ends as it should": () => isAsWished,
    "what is fetched agrees with the status, and has the result": () => isFound
  })
}
