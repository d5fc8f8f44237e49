/** Checks what a receiver of webhooks got against the stored events. */
import type { StoredEvent } from "@webagent/engine"
import type { Arrival, Hook } from "./Receiver.ts"

/** Time for which requests that had begun may still arrive after the delete: as long as a node is frozen, and some more. */
const grace_ms = 15_000

const endings = ["completed", "failed", "cancelled"]

/** The type of the message about an event; undefined if there is none. */
const typeOf = ({ event }: StoredEvent): string | undefined => {
  const { browserQueue, control, of, question, to } = event
  if (question !== undefined) return question.change === "waiting" ? "run.waiting" : undefined
  if (browserQueue !== undefined || control !== undefined) return undefined
  if (of === "turn" && endings.includes(to)) return `run.${to}`
  return of === "browser" && to === "stopped" ? "browser.stopped" : undefined
}

/** The types of the messages that a webhook gets, by the run or browser, in their order. */
const expectedOf = (
  { owner, types }: Hook,
  events: ReadonlyArray<StoredEvent>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const expected = new Map<string, ReadonlyArray<string>>()
  for (const stored of events) {
    const type = typeOf(stored)
    if (stored.event.owner !== owner || type === undefined || !types.includes(type)) continue
    expected.set(stored.event.id, [...(expected.get(stored.event.id) ?? []), type])
  }
  return expected
}

/** The first arrival of each message of one subject, and its first acknowledgment, in the order of arrival. */
const messagesOf = (arrivals: ReadonlyArray<Arrival>) =>
  [...Map.groupBy(arrivals, ({ messageId }) => messageId)].map(([id, attempts]) => ({
    id,
    type: attempts[0]?.type ?? "",
    order: attempts[0]?.order ?? 0,
    acknowledged: attempts.flatMap(({ acknowledged }) => acknowledged ?? [])[0] ?? null
  }))

const brokenSubject = (
  hook: Hook,
  subject: string,
  expected: ReadonlyArray<string>,
  arrivals: ReadonlyArray<Arrival>
): ReadonlyArray<string> => {
  const broken: Array<string> = []
  const messages = messagesOf(arrivals)
  const types = messages.map(({ type }) => type)
  const name = `${subject} at ${hook.url}`
  // a deleted webhook gets the first messages
  const due = hook.deletedAt_ms === null ? expected : expected.slice(0, types.length)
  if (types.join() !== due.join()) broken.push(`${name} got ${types.join(", ")} in place of ${due.join(", ")}`)
  for (const [index, { id, order }] of messages.entries()) {
    const before = messages[index - 1]
    if (before !== undefined && (before.acknowledged === null || before.acknowledged > order)) {
      broken.push(`${name} got ${id} before ${before.id} was acknowledged`)
    }
  }
  const last = messages.at(-1)
  if (last?.acknowledged === null && hook.deletedAt_ms === null) broken.push(`${name} never acknowledged ${last.id}`)
  return broken
}

/** Every promise about webhooks that is broken. */
export const brokenDeliveries = (
  hooks: ReadonlyArray<Hook>,
  arrivals: ReadonlyArray<Arrival>,
  events: ReadonlyArray<StoredEvent>
): ReadonlyArray<string> =>
  hooks.flatMap((hook) => {
    const broken: Array<string> = []
    const own = arrivals.filter((arrival) => arrival.hook === hook)
    const expected = expectedOf(hook, events)
    const bySubject = Map.groupBy(own, ({ subject }) => subject)
    for (const [subject, some] of bySubject) {
      broken.push(...brokenSubject(hook, subject, expected.get(subject) ?? [], some))
    }
    if (hook.deletedAt_ms === null) {
      for (const [subject, types] of expected) {
        if (!bySubject.has(subject)) broken.push(`${subject} at ${hook.url} never got ${types.join(", ")}`)
      }
      return broken
    }
    for (const { at_ms, changedAt_ms, messageId } of own) {
      const late_ms = at_ms - hook.deletedAt_ms
      if (late_ms > grace_ms) broken.push(`${hook.url} got ${messageId} ${late_ms} ms after its delete`)
      if (changedAt_ms > hook.deletedAt_ms) broken.push(`${hook.url} got ${messageId} about a change after its delete`)
    }
    return broken
  })

/** Number of messages that have to come and weren't acknowledged yet. */
export const openDeliveries = (
  hooks: ReadonlyArray<Hook>,
  arrivals: ReadonlyArray<Arrival>,
  events: ReadonlyArray<StoredEvent>
): number =>
  hooks
    .filter(({ deletedAt_ms }) => deletedAt_ms === null)
    .reduce((sum, hook) => {
      const due = [...expectedOf(hook, events).values()].reduce((count, types) => count + types.length, 0)
      const acknowledged = arrivals.filter((arrival) => arrival.hook === hook && arrival.acknowledged !== null)
      return sum + due - new Set(acknowledged.map(({ messageId }) => messageId)).size
    }, 0)
