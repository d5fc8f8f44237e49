import * as Schema from "effect/Schema"

/**
 * A check that did not hold. `name` says what should be so, `expected` and `actual` are lines for a person,
 * `diff` is what differs where these would not show it (`- ` expected, `+ ` came, `  ` both), and `where` is the
 * `path:line` of the suite that asked.
 */
export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", {
  name: Schema.String,
  expected: Schema.String,
  actual: Schema.String,
  diff: Schema.optionalKey(Schema.Array(Schema.String)),
  where: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return `${this.name}: expected ${this.expected}, got ${this.actual}`
  }
}
