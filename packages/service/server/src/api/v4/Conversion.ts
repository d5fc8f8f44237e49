import { fromMillis, type HTTPValidationError } from "@webagent/contract"
import type { Browser, QueuedMessage, QueueMessage, Run, RunCreate, RunStatusView } from "@webagent/contract/v4"
import { basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { Browser as Domain, type Created, type Message, type SessionRequest, type Turn } from "@webagent/engine"
import { allowedDomains, enableRecording, languages, outputSchema } from "../ExtensionFields.ts"
import { invalid } from "../Invalid.ts"
import type { Links } from "../Links.ts"

const orNull = (epoch_ms: number | null) => (epoch_ms === null ? null : fromMillis(epoch_ms))

/** Converts the body of a v4 create request: a session of its own. */
export const toDomain = (body: RunCreate): Effect.Effect<SessionRequest, HTTPValidationError> =>
  Effect.zipWith(outputSchema(body), enableRecording(body), (schema, recording) => ({
    task: body.task,
    modelParams: body.modelParams ?? null,
    thinkingLevel: null,
    ...schema,
    ...recording
  }))

/** A turn as a v4 run, with where its session's browser is seen: a field that the description does not have. */
export const fromDomain = (turn: Turn.Turn, liveUrl: string | null = null): Run => ({
  id: turn.id,
  status: turn.status,
  sessionId: turn.sessionId,
  task: turn.task,
  modelParams: turn.modelParams,
  result: turn.output,
  error: turn.error,
  createdAt: fromMillis(turn.createdAt_ms),
  startedAt: orNull(turn.startedAt_ms),
  finishedAt: orNull(turn.finishedAt_ms),
  cost: turn.cost,
  ...(liveUrl === null ? {} : { liveUrl })
})

/** The one field that is polled. */
export const statusFromDomain = (turn: Turn.Turn): RunStatusView => ({ status: turn.status })

/** A follow-up for the session with this id. */
export const messageToDomain = (sessionId: string, body: QueueMessage): Effect.Effect<Message, HTTPValidationError> =>
  Effect.map(outputSchema(body), (schema) => ({
    sessionId,
    text: body.text,
    interrupt: body.interrupt,
    ...schema
  }))

/** A message that was taken; it is consumed once its turn is at work. */
export const messageFromDomain = ({
  id,
  interrupt,
  turn
}: Pick<Created<"Message">, "id" | "interrupt" | "turn">): QueuedMessage => ({
  id,
  sessionId: turn.sessionId,
  runId: turn.id,
  mode: interrupt ? "interrupt" : "queue",
  status: turn.status === "queued" ? "pending" : "consumed",
  text: turn.task,
  createdAt: fromMillis(turn.createdAt_ms)
})

/** Error for a refused country. */
export const wrongCountry = (msg: string, type?: string) => invalid(["body", "proxyCountryCode"], msg, type)

/** Converts the body of a browser create request. */
export const browserToDomain = (body: { readonly proxyCountryCode?: string | null }) => {
  const { proxyCountryCode = null } = body
  return proxyCountryCode === null || /^[A-Za-z]{2}$/u.test(proxyCountryCode)
    ? Effect.map(
        Effect.all([allowedDomains(body), enableRecording(body), languages(body)]),
        ([domains, recording, announced]) => ({ proxyCountryCode, ...domains, ...recording, ...announced })
      )
    : Effect.fail(wrongCountry("Expected a two-letter country code", "string_pattern_mismatch"))
}

/** Path of a browser's CDP endpoint, also used as a route with `:browser_id`. */
export const cdpPath = <const Id extends string>(browserId: Id) => `${basePath.v4}/browsers/${browserId}/cdp` as const

/**
 * Address at which a person can take over a browser: a field that the description does not have, present only if there
 * is a live view.
 */
const controlOf = (url: string | null) => (url === null ? {} : { controlUrl: url })

/** Fields that the description doesn't have: a browser's allowed domains, its languages, and its traffic when it stopped. */
const ownOf = ({ allowedDomains, bytes, languages }: Domain.Browser) => ({
  ...(Predicate.isNotNullish(languages) ? { languages } : {}),
  ...(Predicate.isNotNullish(allowedDomains) ? { allowedDomains } : {}),
  ...(Predicate.isNotNullish(bytes) ? { proxyUsedMb: Domain.megabytes(bytes) } : {})
})

/** A browser as v4 shows it. */
export const browserFromDomain = (browser: Domain.Browser, links: Links): Browser => {
  const seen = browser.status === "stopped" ? null : browser.id
  return {
    id: browser.id,
    cdpUrl: links.to(cdpPath(browser.id)).replace(/^http/u, "ws"),
    // no client is told of a browser before it runs
    status: browser.status === "stopped" ? "stopped" : "active",
    liveUrl: links.live(seen),
    ...controlOf(links.control(seen)),
    recordingUrl: browser.recording && browser.status === "stopped" ? links.recording(browser.id) : null,
    proxyCountryCode: browser.proxyCountryCode,
    ...ownOf(browser),
    startedAt: fromMillis(browser.startedAt_ms),
    finishedAt: orNull(browser.finishedAt_ms),
    timeoutAt: orNull(browser.expiresAt_ms)
  }
}
