import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"

/** Recordings: none. */
export const recordings = HttpApiBuilder.group(ConsoleApi, "recordings", (handlers) =>
  handlers.handleAll({ list: () => Effect.succeed({ rows: [], next: null, complete: true }) })
)
