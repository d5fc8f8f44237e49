import * as Clock from "effect/Clock"
import * as Context from "effect/Context"

/** The process's own clock, whatever the service's does: for the journal, and for what the operating system does. */
export const RealClock: Context.Reference<Clock.Clock> = Context.Reference("@webagent/simulation/RealClock", {
  defaultValue: () => Context.get(Context.empty(), Clock.Clock)
})
