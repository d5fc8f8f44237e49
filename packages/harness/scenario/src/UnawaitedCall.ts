import * as Data from "effect/Data"

/** A scenario in plain style ended while calls of its context were pending: an `await` is missing. */
export class UnawaitedCall extends Data.TaggedError("UnawaitedCall")<{ readonly message: string }> {
  /** Its place is where the first of the calls was made. */
  static of(calls: ReadonlyArray<{ readonly name: string; readonly at: Error }>): UnawaitedCall {
    const names = calls.map(({ name }) => name).join(", ")
    const error = new UnawaitedCall({
      message: `the scenario ended before ${names} did. Await ${calls.length === 1 ? "the call" : "the calls"}.`
    })
    error.stack = calls[0]?.at.stack ?? ""
    return error
  }
}
