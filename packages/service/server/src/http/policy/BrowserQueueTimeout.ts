import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/**
 * Maximum time that a request for a browser waits for a free one, before it gets 429. By default 20 seconds, which is
 * below the 30 seconds after which clients give up; zero refuses immediately.
 */
export const BrowserQueueTimeout: Context.Reference<Duration.Duration> = Context.Reference(
  "@webagent/server/BrowserQueueTimeout",
  { defaultValue: (): Duration.Duration => Duration.seconds(20) }
)
