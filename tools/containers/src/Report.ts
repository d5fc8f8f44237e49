/** Result of one part of the test. */
export type Result =
  | { readonly _tag: "Passed"; readonly part: string; readonly facts: string; readonly seconds: number }
  | { readonly _tag: "Failed"; readonly part: string; readonly reason: string }
  | { readonly _tag: "Skipped"; readonly part: string; readonly reason: string }

/** Thrown by a part that this machine can't run. The message says what is missing. */
export class Lacking extends Error {}

/** Returns the line of a result. */
export const lineOf = (result: Result): string =>
  result._tag === "Passed"
    ? `passed   ${result.part}: ${result.facts} (${result.seconds.toFixed(0)} s)`
    : `${result._tag === "Failed" ? "FAILED " : "skipped"}  ${result.part}: ${result.reason}`

/** Returns the last line: the counts, as `npm test` has them. */
export const summaryOf = (results: ReadonlyArray<Result>): string => {
  const count = (tag: Result["_tag"]) => results.filter(({ _tag }) => _tag === tag).length
  return `${count("Passed")} passed, ${count("Failed")} failed, ${count("Skipped")} skipped`
}

/** Returns the exit code. With `strict`, a skipped part is a failure. */
export const exitCodeOf = (results: ReadonlyArray<Result>, strict: boolean): number =>
  results.some(({ _tag }) => _tag === "Failed" || (strict && _tag === "Skipped")) ? 1 : 0

/** A part of the test. `run` returns a sentence with its measurements. */
export interface Part {
  readonly name: string
  /** Parts of a lane run one after the other; lanes run at the same time. */
  readonly lane: string
  /** Names of earlier parts that have to pass first. */
  readonly after: ReadonlyArray<string>
  readonly run: (signal: AbortSignal) => Promise<string>
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Options for running the parts of the test. */
export interface RunParts {
  readonly limit_s: number
  /** Interrupts the test; the parts that run still clean up. */
  readonly signal?: AbortSignal
  readonly onResult: (result: Result) => void
}

/** Runs the parts until the time is up, and returns their results in the order of the parts. */
export const runParts = async (
  parts: ReadonlyArray<Part>,
  { limit_s, onResult, signal: interrupted }: RunParts
): Promise<ReadonlyArray<Result>> => {
  const limit = AbortSignal.timeout(limit_s * 1000)
  const signal = interrupted === undefined ? limit : AbortSignal.any([limit, interrupted])
  const late = () =>
    limit.aborted
      ? `the time limit of ${(limit_s / 60).toFixed(0)} minutes was reached; raise it with --minutes`
      : "the test was interrupted"
  const resultOf = async ({ name, run }: Part, before: ReadonlyArray<Result>): Promise<Result> => {
    const blocked = before.find(({ _tag }) => _tag !== "Passed")
    if (blocked !== undefined) return { _tag: "Skipped", part: name, reason: `the part "${blocked.part}" did not pass` }
    if (signal.aborted) return { _tag: "Failed", part: name, reason: late() }
    const start = performance.now()
    try {
      const facts = await run(signal)
      return { _tag: "Passed", part: name, facts, seconds: (performance.now() - start) / 1000 }
    } catch (error) {
      if (signal.aborted) return { _tag: "Failed", part: name, reason: late() }
      return { _tag: error instanceof Lacking ? "Skipped" : "Failed", part: name, reason: reasonOf(error) }
    }
  }
  const results = new Map<string, Promise<Result>>()
  const lanes = new Map<string, Promise<unknown>>()
  for (const part of parts) {
    const before = part.after.flatMap((name) => results.get(name) ?? [])
    const result = Promise.all([Promise.all(before), lanes.get(part.lane)])
      .then(([required]) => resultOf(part, required))
      .then((finished) => {
        onResult(finished)
        return finished
      })
    results.set(part.name, result)
    lanes.set(part.lane, result)
  }
  return Promise.all(results.values())
}
