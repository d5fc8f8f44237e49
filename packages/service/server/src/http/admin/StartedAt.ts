import * as Context from "effect/Context"

/** The time at which the server started, in milliseconds. The handlers of operators are made with their first request. */
export const StartedAt: Context.Reference<number> = Context.Reference("@webagent/server/StartedAt", {
  defaultValue: () => 0
})
