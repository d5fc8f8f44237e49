/** Tags of a point, as far as they are kept. */
export interface Tags {
  /** The operation: `v4.createRun`. */
  readonly name: string
  readonly scenario: string
  readonly status: string
  readonly expected_response: string
}

/** The points of one metric with the same tags, in the order in which k6 gave them out. */
export interface Series {
  readonly metric: string
  readonly tags: Tags
  readonly length: number
  /** Milliseconds since the first point of all. */
  readonly times: Uint32Array
  readonly values: Float64Array
}

/** Every point that k6 has measured, of as many processes as write into it. */
export interface Points {
  /** Takes a line of k6's CSV output; any other line is nothing. */
  readonly take: (line: string) => void
  /** The series of a metric whose tags fit. */
  readonly select: (metric: string, tags?: Partial<Tags>) => ReadonlyArray<Series>
  /** The values of those, in no order. */
  readonly values: (metric: string, tags?: Partial<Tags>) => Float64Array
  /** The sum of those. */
  readonly sum: (metric: string, tags?: Partial<Tags>) => number
  /** Start of the load, in ms since 1970; undefined during the setup. */
  readonly begun_ms: () => number | undefined
  /** Start of the load, in milliseconds since the first point. */
  readonly loadFrom_ms: () => number
  /** Time of the last point, in milliseconds since the first. */
  readonly last_ms: () => number
  /** Points that were not kept, because there were too many. */
  readonly lost: () => number
}

// parts of http_req_duration, and what is of no use over time: a sixth of the points are left
const unused = new Set([
  "browsers_cut_off",
  "checks",
  "data_received",
  "data_sent",
  "group_duration",
  "http_req_blocked",
  "http_req_connecting",
  "http_req_receiving",
  "http_req_sending",
  "http_req_tls_handshaking",
  "http_req_waiting",
  "iteration_duration",
  "iterations",
  "newest_browser",
  "vus",
  "vus_max"
])

/** The fields of a line; a field that holds a comma or a quote is in quotes. */
const fieldsOf = (line: string): ReadonlyArray<string> => {
  if (!line.includes('"')) return line.split(",")
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/gu), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"')
  )
}

interface Growing {
  readonly metric: string
  readonly tags: Tags
  length: number
  times: Uint32Array
  values: Float64Array
}

const add = (series: Growing, time: number, value: number) => {
  if (series.length === series.values.length) {
    const size = series.length * 2
    const { times, values } = series
    series.times = new Uint32Array(size)
    series.values = new Float64Array(size)
    series.times.set(times)
    series.values.set(values)
  }
  series.times[series.length] = time
  series.values[series.length] = value
  series.length++
}

const fits = (has: Tags, wanted: Partial<Tags>) =>
  (wanted.name === undefined || wanted.name === has.name) &&
  (wanted.scenario === undefined || wanted.scenario === has.scenario) &&
  (wanted.status === undefined || wanted.status === has.status) &&
  (wanted.expected_response === undefined || wanted.expected_response === has.expected_response)

/** An empty store of at most `most` points, 12 bytes each: 120 MB in all. Later points are dropped. */
export const make = (most = 10_000_000): Points => {
  let columns: { readonly [Tag in keyof Tags]: number } | undefined
  let origin: number | undefined
  let last = 0
  // what is before the load belongs to no scenario
  let prepared: number | undefined
  let begin_ms: number | undefined
  let kept = 0
  let lost = 0
  const all = new Map<string, Map<string, Growing>>()

  const readHeader = (line: string) => {
    const names = line.split(",")
    const at = (name: string) => names.indexOf(name)
    columns = {
      name: at("name"),
      scenario: at("scenario"),
      status: at("status"),
      expected_response: at("expected_response")
    }
  }

  const seriesOf = (metric: string, tags: Tags): Growing => {
    const ofMetric = all.get(metric) ?? new Map<string, Growing>()
    all.set(metric, ofMetric)
    const key = `${tags.name}\n${tags.scenario}\n${tags.status}\n${tags.expected_response}`
    const existing = ofMetric.get(key)
    if (existing !== undefined) return existing
    const created = { metric, tags, length: 0, times: new Uint32Array(64), values: new Float64Array(64) }
    ofMetric.set(key, created)
    return created
  }

  const take = (line: string) => {
    const end = line.indexOf(",")
    if (end < 1) return
    const metric = line.slice(0, end)
    if (metric === "metric_name") return readHeader(line)
    if (columns === undefined || unused.has(metric)) return
    const fields = fieldsOf(line)
    const [at, value] = [Number(fields[1]), Number(fields[2])]
    if (!Number.isFinite(at) || !Number.isFinite(value)) return
    if (kept === most) {
      lost++
      return
    }
    kept++
    origin ??= at
    const time = Math.max(0, at - origin)
    last = Math.max(last, time)
    const tags = {
      name: fields[columns.name] ?? "",
      scenario: fields[columns.scenario] ?? "",
      status: fields[columns.status] ?? "",
      expected_response: fields[columns.expected_response] ?? ""
    }
    if (begin_ms === undefined && tags.scenario === "") prepared = Math.max(prepared ?? at, at)
    else begin_ms ??= prepared ?? at
    add(seriesOf(metric, tags), time, value)
  }

  const select = (metric: string, tags: Partial<Tags> = {}): ReadonlyArray<Series> =>
    [...(all.get(metric)?.values() ?? [])].filter((series) => fits(series.tags, tags))

  const values = (metric: string, tags?: Partial<Tags>) => {
    const chosen = select(metric, tags)
    const joined = new Float64Array(chosen.reduce((length, series) => length + series.length, 0))
    let place = 0
    for (const series of chosen) {
      joined.set(series.values.subarray(0, series.length), place)
      place += series.length
    }
    return joined
  }

  return {
    take,
    select,
    values,
    sum: (metric, tags) => values(metric, tags).reduce((sum, value) => sum + value, 0),
    begun_ms: () => begin_ms,
    loadFrom_ms: () => (begin_ms ?? 0) - (origin ?? begin_ms ?? 0),
    last_ms: () => last,
    lost: () => lost
  }
}
