import * as Metric from "effect/Metric"

/** Polls that were made, of all waiters. */
export const polls = Metric.counter("webagent_client_polls", {
  incremental: true
})

/** Waits that go on now, of all waiters. */
export const waitsActive = Metric.gauge("webagent_client_waits_active")
