/** A destination of k6's metrics during a run, besides its summary. */
export interface Output {
  /** Its name in flags: `prometheus`. */
  readonly name: string
  /** Value for `--out`. */
  readonly flag: string
  /** Variables that k6 reads for it. */
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Sends the metrics to Prometheus by remote write, as `deploy/grafana/webagent-load.json` reads them.
 *
 * @param url - The address, which ends in `/api/v1/write`.
 * @returns The output for `LoadRun.run`.
 * @example
 * ```ts
 * import { prometheus } from "@webagent/load/Output"
 *
 * export const outputs = [prometheus("http://prometheus:9090/api/v1/write")]
 * ```
 */
export const prometheus = (url: string): Output => ({
  name: "prometheus",
  flag: "experimental-prometheus-rw",
  variables: {
    K6_PROMETHEUS_RW_SERVER_URL: url,
    K6_PROMETHEUS_RW_TREND_STATS: "p(50),p(95),p(99),max,count",
    K6_PROMETHEUS_RW_STALE_MARKERS: "true"
  }
})

/**
 * Sends the metrics to an OpenTelemetry collector by OTLP over HTTP.
 *
 * @param url - The address of the collector, such as `http://otel-collector:4318`. Add the path unless it's
 *   `/v1/metrics`.
 * @returns The output for `LoadRun.run`.
 * @throws `TypeError` if the address isn't a URL.
 * @example
 * ```ts
 * import { otlp } from "@webagent/load/Output"
 *
 * export const outputs = [otlp("http://otel-collector:4318")]
 * ```
 */
export const otlp = (url: string): Output => {
  const { host, pathname, protocol } = new URL(url)
  return {
    name: "otlp",
    flag: "opentelemetry",
    variables: {
      K6_OTEL_EXPORTER_PROTOCOL: "http/protobuf",
      K6_OTEL_HTTP_EXPORTER_ENDPOINT: host,
      ...(pathname === "/" ? {} : { K6_OTEL_HTTP_EXPORTER_URL_PATH: pathname }),
      K6_OTEL_HTTP_EXPORTER_INSECURE: String(protocol === "http:"),
      K6_OTEL_SERVICE_NAME: "webagent-load",
      K6_OTEL_METRIC_PREFIX: "k6_"
    }
  }
}
