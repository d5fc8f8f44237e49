import * as Schema from "effect/Schema"
import { Profile } from "./Profile.ts"
import { endOfTime_ms } from "./Time.ts"

/** Everything that the service knows at one moment of service time. What is in `state` is the server's own affair. */
export const Snapshot = Schema.Struct({
  version: Schema.Literal(1),
  at_ms: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: endOfTime_ms })),
  seed: Schema.Int,
  profile: Profile,
  state: Schema.Json
}).annotate({ identifier: "Snapshot" })

export type Snapshot = typeof Snapshot.Type
