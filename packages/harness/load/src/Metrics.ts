/** The ways in which k6 aggregates a metric. */
type MetricType = "counter" | "gauge" | "rate" | "trend"

/** The metrics of our own. k6 reads this module too, so it imports nothing. */
export const own = {
  time_to_terminal: "trend",
  detection_delay: "trend",
  polls_per_run: "trend",
  runs_completed: "counter",
  runs_lost: "counter",
  browsers_stopped: "counter",
  browsers_leaked: "counter",
  browsers_cut_off: "counter",
  newest_browser: "gauge",
  answers_decoded: "counter",
  contract_violations: "counter",
  iterations_failed: "counter"
} as const satisfies Readonly<Record<string, MetricType>>

/** Those of k6 that a load test has. */
const builtIn = {
  checks: "rate",
  data_received: "counter",
  data_sent: "counter",
  dropped_iterations: "counter",
  group_duration: "trend",
  http_req_blocked: "trend",
  http_req_connecting: "trend",
  http_req_duration: "trend",
  http_req_failed: "rate",
  http_req_receiving: "trend",
  http_req_sending: "trend",
  http_req_tls_handshaking: "trend",
  http_req_waiting: "trend",
  http_reqs: "counter",
  iteration_duration: "trend",
  iterations: "counter",
  vus: "gauge",
  vus_max: "gauge"
} as const satisfies Readonly<Record<string, MetricType>>

/** Every metric that a threshold may name. */
export const all: Readonly<Record<string, MetricType>> = { ...builtIn, ...own }

const statistics: Readonly<Record<MetricType, ReadonlyArray<string>>> = {
  counter: ["count", "rate"],
  gauge: ["value"],
  rate: ["rate"],
  trend: ["avg", "min", "med", "max", "p(N)"]
}

/** The statistics that k6 keeps of a type of metric; `p(N)` is every percentile. */
export const statisticsOf = (type: MetricType): ReadonlyArray<string> => statistics[type]
