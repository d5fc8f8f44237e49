import type { Cassette, Content, Exchange } from "./Cassette.ts"
import { routeOf } from "./Route.ts"

/** A request to replay. */
export interface Asked {
  readonly method: string
  /** From `/api/vN` on, with its query. */
  readonly path: string
  readonly sent: Content | undefined
  readonly idempotencyKey: string | undefined
}

/** Which recorded request a changing request is: of the same body, or the next one with the same path. */
export type Match = "body" | "path"

/** The recorded exchange that answers a request, or why there is none. */
export type Found = { readonly exchange: Exchange } | { readonly status: 404 | 501; readonly detail: string }

/** Replays one cassette from its beginning. */
export interface Player {
  /** Finds the recorded response; `now_ms` is the time since the replay began. */
  readonly answer: (asked: Asked, now_ms: number) => Found
}

const sorted = (value: unknown): unknown =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const textOf = (content: Content | undefined): string =>
  content === undefined
    ? ""
    : "text" in content
      ? content.text
      : JSON.stringify(content.json, (_, value: unknown) => sorted(value))

const reads = new Set(["GET", "HEAD"])

const endOf = ({ at_ms, took_ms }: Exchange) => at_ms + took_ms

/** Returns the subject of a read: the id in its path, or the last part of a path that isn't described. */
const subjectOf = ({ method, path }: Pick<Exchange, "method" | "path">): string => {
  const bare = path.replace(/[?#].*$/u, "")
  return routeOf(method, bare).resource ?? bare.split("/").at(-1) ?? bare
}

/** One recorded answer of a read, by when it came after the change before it. */
interface Recorded {
  readonly after_ms: number
  readonly exchange: Exchange
}

const whole = "the beginning"

/**
 * A player of a cassette. A request that changes something takes the next recorded one of its kind, with the ids that were
 * recorded. A read is answered as the service answered at that time after the last change of what is read.
 */
export const make = ({ exchanges }: Cassette, match: Match = "body"): Player => {
  const changes = exchanges.filter(({ method }) => !reads.has(method))
  const bodies = new Map(changes.map((change) => [change, `${change.path} ${textOf(change.got)}`]))
  const isAbout = (change: Exchange, subject: string) => bodies.get(change)?.includes(subject) === true
  const keyOf = ({ method, path, sent }: Pick<Exchange, "method" | "path"> & { readonly sent?: Content | undefined }) =>
    match === "path" ? `${method} ${path}` : `${method} ${path} ${textOf(sent)}`

  const left = new Map<string, Array<Exchange>>()
  for (const change of changes) {
    const key = keyOf(change)
    left.set(key, [...(left.get(key) ?? []), change])
  }

  const tracks = new Map<Exchange | typeof whole, Map<string, Array<Recorded>>>()
  const paired = new Set<string>()
  for (const read of exchanges.filter(({ method }) => reads.has(method))) {
    const subject = subjectOf(read)
    const change = changes.findLast((one) => endOf(one) <= endOf(read) && isAbout(one, subject))
    const since = change ?? whole
    const track = tracks.get(since) ?? new Map<string, Array<Recorded>>()
    const after_ms = endOf(read) - (change === undefined ? 0 : endOf(change))
    track.set(read.path, [...(track.get(read.path) ?? []), { after_ms, exchange: read }])
    tracks.set(since, track)
    paired.add(read.path)
  }

  const played: Array<{ readonly change: Exchange; readonly at_ms: number }> = []
  const byIdempotencyKey = new Map<string, Exchange>()

  const change = (request: Asked, now_ms: number): Found => {
    const { idempotencyKey, method, path } = request
    const again = idempotencyKey === undefined ? undefined : byIdempotencyKey.get(`${path} ${idempotencyKey}`)
    if (again !== undefined) return { exchange: again }
    const exchange = left.get(keyOf(request))?.shift()
    if (exchange === undefined) {
      const same = changes.filter((one) => one.method === method && one.path === path).length
      const why =
        same === 0
          ? "was not recorded"
          : match === "path" || changes.some((one) => keyOf(one) === keyOf(request))
            ? `was recorded ${same === 1 ? "once" : `${same} times`} and is used up`
            : `was recorded with ${same === 1 ? "another body" : `${same} other bodies`}; to ignore bodies use --match path`
      return { status: 501, detail: `${method} ${path} ${why}` }
    }
    played.push({ change: exchange, at_ms: now_ms + exchange.took_ms })
    // a create that was refused may be sent again with its key
    if (idempotencyKey !== undefined && exchange.status < 300)
      byIdempotencyKey.set(`${path} ${idempotencyKey}`, exchange)
    return { exchange }
  }

  const read = ({ method, path }: Asked, now_ms: number): Found => {
    const subject = subjectOf({ method, path })
    const starts = [
      ...played.filter(({ change: one }) => isAbout(one, subject)).toReversed(),
      { change: whole, at_ms: 0 } as const
    ]
    for (const { at_ms, change: since } of starts) {
      const recorded = tracks.get(since)?.get(path)
      const first = recorded?.[0]
      if (recorded === undefined || first === undefined) continue
      const passed_ms = now_ms - at_ms
      return { exchange: (recorded.findLast(({ after_ms }) => after_ms <= passed_ms) ?? first).exchange }
    }
    return paired.has(path)
      ? { status: 404, detail: `${path} was recorded, but the request that made it has not been replayed` }
      : { status: 501, detail: `${method} ${path} was not recorded` }
  }

  return { answer: (request, now_ms) => (reads.has(request.method) ? read(request, now_ms) : change(request, now_ms)) }
}
