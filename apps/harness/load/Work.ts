// @boundaries-ignore k6 brings its own modules
import { check, sleep } from "k6"
import type { Iteration } from "./Iteration.ts"
import { detectionDelay, pollsPerRun, runsCompleted, runsLost, timeToTerminal } from "./Metrics.ts"

/** A piece of agent work that the service has accepted, and how to find out about it. */
export interface Work {
  /** Asks once; undefined when there was no answer. */
  readonly status: () => string | undefined
  readonly isTerminal: (status: string) => boolean
  /** What the service says about the ended work as a whole. */
  readonly fetch: (status: string) => Found
  /** The status that it should end with; any terminal one when it is not given. */
  readonly wanted?: string
}

/** Ended work. */
export interface Found {
  /** Whether it agrees with the status, and has the result. */
  readonly agrees: boolean
  /** When it ended by the service's clock. */
  readonly finishedAt?: unknown
}

// one machine has one clock
const isLoopback = (address: string): boolean =>
  /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/u.test(address)

const millisOf = (time: unknown): number =>
  typeof time === "string" ? Date.parse(/(?:Z|[+-]\d\d:\d\d)$/u.test(time) ? time : `${time}Z`) : Number.NaN

/** Waits for the end of work and fetches it. It is lost until it is found: also when k6 cuts the iteration off. */
export const follow = ({ due_ms, settings }: Iteration, work: Work): void => {
  runsLost.add(1)
  const deadline_ms = Date.now() + settings.runTimeout_ms
  const ended = (status: string | undefined): status is string => status !== undefined && work.isTerminal(status)
  let polls = 0
  let status: string | undefined
  for (let pause_s = 0.05; !ended(status) && Date.now() < deadline_ms; pause_s *= 1.5) {
    sleep(Math.min(pause_s, 1))
    status = work.status()
    polls++
  }
  const known_ms = Date.now()
  pollsPerRun.add(polls)

  let found: Found = { agrees: false }
  if (ended(status)) {
    timeToTerminal.add(known_ms - due_ms)
    found = work.fetch(status)
    const delay_ms = known_ms - millisOf(found.finishedAt)
    // a service whose own clock goes at another speed has no delay to speak of
    if (isLoopback(settings.address) && delay_ms >= 0 && delay_ms <= settings.runTimeout_ms)
      detectionDelay.add(delay_ms)
  }
  const isFine = found.agrees && (work.wanted === undefined || status === work.wanted)
  if (found.agrees) runsLost.add(-1)
  if (work.wanted !== undefined) runsCompleted.add(isFine ? 1 : 0)
  check(status, {
    "work ends as it should": (status) => ended(status) && (work.wanted === undefined || status === work.wanted),
    "what is fetched agrees with the status": () => found.agrees
  })
}
