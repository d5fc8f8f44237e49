/** A load test, which `k6/load.ts` runs. */
export interface LoadTest {
  readonly name: LoadTestName
  /** Starts a second at its full height, by default. */
  readonly rate: number
  /** Default time during which new work is started, in milliseconds. */
  readonly duration_ms: number
  /** Weights of the flows, by default. */
  readonly mix: string
}

/** The name of a load test. */
export type LoadTestName = "smoke" | "average-load" | "stress" | "spike" | "soak" | "breakpoint"

const each = "runs=1,browsers=1,status=1,queue=1,v3=1,v2=1"
const ordinary = "runs=4,browsers=2,status=8,queue=1,v3=2,v2=1"

/** Every load test by name, from the gentlest on. k6 reads it too, so it imports nothing. */
export const loadTests: Readonly<Record<LoadTestName, LoadTest>> = {
  smoke: { name: "smoke", rate: 5, duration_ms: 5_000, mix: each },
  "average-load": { name: "average-load", rate: 20, duration_ms: 60_000, mix: ordinary },
  stress: { name: "stress", rate: 60, duration_ms: 120_000, mix: ordinary },
  spike: { name: "spike", rate: 100, duration_ms: 60_000, mix: ordinary },
  soak: { name: "soak", rate: 10, duration_ms: 1_200_000, mix: ordinary },
  breakpoint: { name: "breakpoint", rate: 200, duration_ms: 120_000, mix: ordinary }
}

/** Default time limit for a run to finish, in milliseconds. */
export const runTimeout_ms = 30_000

/** The pause before a script's first poll. */
export const firstPause_ms = 50

/**
 * Returns the pause before a script's next poll: half as long again as the last one, up to a second.
 *
 * @param pause_ms - The last pause in milliseconds.
 * @returns The next pause in milliseconds.
 * @example
 * ```ts
 * import { firstPause_ms, pauseAfter } from "@webagent/load/LoadTest"
 *
 * console.log(pauseAfter(firstPause_ms), pauseAfter(900)) // 75 1000
 * ```
 */
export const pauseAfter = (pause_ms: number): number => Math.min(pause_ms * 1.5, 1000)

/**
 * Returns the number of virtual users that k6 makes before the first start: enough for runs that take a third of the
 * timeout.
 *
 * @param rate - Starts per second.
 * @param timeout_ms - The time limit of a run in milliseconds.
 * @returns The number of virtual users.
 * @example
 * ```ts
 * import { preAllocatedVUs } from "@webagent/load/LoadTest"
 *
 * console.log(preAllocatedVUs(20, 60_000)) // 401
 * ```
 */
export const preAllocatedVUs = (rate: number, timeout_ms: number = runTimeout_ms): number =>
  Math.ceil((rate * timeout_ms) / 3000) + 1
