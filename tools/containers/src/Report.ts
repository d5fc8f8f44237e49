/** Result of one part of the test. */
export type Result =
  | { readonly _tag: "Passed"; readonly part: string; readonly facts: string; readonly seconds: number }
  | { readonly _tag: "Failed"; readonly part: string; readonly reason: string }
  | { readonly _tag: "Skipped"; readonly part: string; readonly reason: string }

/** Thrown by a part that this machine can't run. The message says what is missing. */
export class Lacking extends Error {}

/** Returns the line of a result. */
export const lineOf = (result: Result): string => {
  switch (result._tag) {
    case "Passed":
      return `passed   ${result.part}: ${result.facts} (${result.seconds.toFixed(0)} s)`
    case "Failed":
      return `FAILED   ${result.part}: ${result.reason}`
    case "Skipped":
      return `skipped  ${result.part}: ${result.reason}`
  }
}

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
  /** Names of parts that have to pass first. */
  readonly after: ReadonlyArray<string>
  readonly run: (signal: AbortSignal) => Promise<string>
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Options for running the parts of the test. */
export interface RunParts {
  readonly limit_s: number
  /** Interrupts the test; the part that runs still cleans up. */
  readonly signal?: AbortSignal
  readonly onResult: (result: Result) => void
}

/** Runs the parts one after the other, until the time is up. */
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
  const results: Array<Result> = []
  const resultOf = async ({ after, name, run }: Part): Promise<Result> => {
    const blocked = after.find((other) => results.some(({ _tag, part }) => part === other && _tag !== "Passed"))
    if (blocked !== undefined) return { _tag: "Skipped", part: name, reason: `the part "${blocked}" did not pass` }
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
  for (const part of parts) {
    const result = await resultOf(part)
    results.push(result)
    onResult(result)
  }
  return results
}
