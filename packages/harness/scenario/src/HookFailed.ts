import * as Data from "effect/Data"

/** `beforeAll` or `afterAll` of a suite failed; `cause` is its error. */
export class HookFailed extends Data.TaggedError("HookFailed")<{
  readonly hook: "beforeAll" | "afterAll"
  readonly cause: unknown
}> {}
