import * as Metric from "effect/Metric"
import * as Call from "./Call.ts"

const attemptsOf = (method: string, url: string, status: number, outcome: string) => {
  const server = Call.serverOf(new URL(url))
  return {
    requests: Metric.counter("webagent_client_requests", {
      description: "Request attempts",
      attributes: { "http.request.method": method, outcome },
      incremental: true
    }),
    duration: Metric.histogram("http.client.request.duration", {
      description: "Request duration",
      boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      attributes: {
        unit: "s",
        "http.request.method": method,
        ...server,
        "server.port": String(server["server.port"]),
        ...(status === 0 ? {} : { "http.response.status_code": String(status) }),
        ...(status > 0 && status < 400 ? {} : { "error.type": status === 0 ? outcome : String(status) })
      }
    })
  }
}

const cache = new Map<string, ReturnType<typeof attemptsOf>>()

/**
 * Returns the metrics of attempts with the same outcome. Paths and ids aren't labels, so that there are few series.
 *
 * @param method - The HTTP method.
 * @param url - The address of the request, whose origin becomes a label.
 * @param status - The status of the response; 0 if none came.
 * @param outcome - The class of the status, such as `5xx`, or the reason for the missing response, such as `Timeout`.
 * @returns A counter, and a histogram of durations in seconds.
 * @example
 * ```ts
 * import { Metrics } from "@webagent/core"
 * import * as Metric from "effect/Metric"
 *
 * const { duration } = Metrics.attempts("GET", "https://agents.example.com/api/v4/runs", 200, "2xx")
 * export const record = (duration_ms: number) => Metric.update(duration, duration_ms / 1000)
 * ```
 */
export const attempts = (
  method: string,
  url: string,
  status: number,
  outcome: string
): ReturnType<typeof attemptsOf> => {
  const name = `${method} ${status} ${outcome} ${url.slice(0, url.indexOf("/", 8))}`
  const metrics = cache.get(name) ?? attemptsOf(method, url, status, outcome)
  cache.set(name, metrics)
  return metrics
}

const retriesOf = (throttled: boolean) =>
  Metric.counter("webagent_client_retries", {
    attributes: { throttled: String(throttled) },
    incremental: true
  })

/** Requests that are sent again after a failure. */
export const retries = retriesOf(false)

/** Requests that are sent again after a 429. */
export const throttledRetries = retriesOf(true)

/** Browsers that were created here and are not known to be stopped. */
export const browsersOpen = Metric.gauge("webagent_client_browsers_open")

/**
 * The cost of finished work as the service reports it, in USD. A gauge for dashboards; exact sums are kept as decimals.
 */
export const cost = Metric.gauge("webagent_client_cost_usd")
