import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { terminal } from "@webagent/cli/Terminal"

/** Prints the one JSON document of a command; nothing else is on standard output. */
export const print = <A, I>(schema: Schema.Codec<A, I>, value: A) => {
  const encode = Schema.encodeSync(Schema.fromJsonString(schema))
  return Effect.flatMap(terminal, ({ write }) => write(`${encode(value)}\n`))
}
