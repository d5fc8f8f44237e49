import type { Exchange, Wait } from "@webagent/report/Trace"

const round = (ms: number) => Math.round(ms * 100) / 100

const endOf = ({ at_ms, duration_ms }: Exchange) => at_ms + duration_ms

/**
 * Returns the latest response before a poll that contains the polled resource, which is where the wait for it begins.
 */
const namedBefore = (exchanges: ReadonlyArray<Exchange>, poll: Exchange): Exchange | undefined => {
  const { resource } = poll
  return exchanges
    .filter(({ response }) => resource !== null && response?.body?.text.includes(resource) === true)
    .findLast((exchange) => endOf(exchange) <= poll.at_ms)
}

/** The pauses between requests that belong together: from one poll to the next, from an attempt to its retry. */
export const waitsOf = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Wait> => {
  const waits: Array<Wait> = []
  const lastOfCall = new Map<string, Exchange>()
  const lastPoll = new Map<string, Exchange>()
  const add = (kind: Wait["kind"], from: Exchange | undefined, to: Exchange) => {
    if (from === undefined || to.at_ms <= endOf(from)) return
    const { operation, resource, retried: reason } = to
    const at_ms = round(endOf(from))
    waits.push({ at_ms, duration_ms: round(to.at_ms - at_ms), kind, operation, resource, reason })
  }
  for (const [index, exchange] of exchanges.entries()) {
    const { attempt, kind, method, operation, requestId, resource, url } = exchange
    const call = `${requestId} ${method} ${url}`
    const thing = `${operation} ${resource}`
    if (attempt > 1) add("retry", lastOfCall.get(call), exchange)
    else if (kind === "poll")
      add("poll", lastPoll.get(thing) ?? namedBefore(exchanges.slice(0, index), exchange), exchange)
    if (requestId !== null) lastOfCall.set(call, exchange)
    if (kind === "poll") lastPoll.set(thing, exchange)
  }
  return waits.toSorted((a, b) => a.at_ms - b.at_ms)
}
