import type * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

const requestsOf = (method: string, outcome: string) =>
  Metric.counter("webagent_client_requests", {
    description: "Attempts of requests, by method and class of status, or what was missing",
    attributes: { "http.request.method": method, outcome },
    incremental: true
  })

const known = new Map<string, ReturnType<typeof requestsOf>>()

/** Counts attempts: `outcome` is `2xx` to `5xx`, or the reason that there was no answer. */
export const requests = (method: string, outcome: string): ReturnType<typeof requestsOf> => {
  const name = `${method} ${outcome}`
  const counter = known.get(name) ?? requestsOf(method, outcome)
  known.set(name, counter)
  return counter
}

const retriesOf = (throttled: boolean) =>
  Metric.counter("webagent_client_retries", {
    description: "Requests sent again",
    attributes: { throttled: String(throttled) },
    incremental: true
  })

/** Requests that are sent again after a failure. */
export const retries = retriesOf(false)

/** Requests that are sent again after a 429. */
export const throttledRetries = retriesOf(true)

/** How long attempts take until the end of the body, in seconds. */
export const duration = Metric.histogram("http.client.request.duration", {
  description: "Duration of attempts of requests, in seconds",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30]
})

/** Browsers that were created here and are not known to be stopped. */
export const browsersOpen = Metric.gauge("webagent_client_browsers_open", {
  description: "Browsers created by this process and not known to be stopped"
})

/** What the service said that terminal work cost, in USD: a gauge for dashboards, exact sums are kept as decimals. */
export const cost = Metric.gauge("webagent_client_cost_usd", {
  description: "What the service said that the work of this process cost, in USD"
})

/** Adds one to a counter. */
export const count = (counter: Metric.Counter<number>): Effect.Effect<void> => Metric.update(counter, 1)

/** Moves a gauge. */
export const add = (gauge: Metric.Gauge<number>, by: number): Effect.Effect<void> => Metric.modify(gauge, by)
