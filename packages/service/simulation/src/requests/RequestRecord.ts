import type { RequestEntry } from "@webagent/control"
import type * as Clock from "effect/Clock"
import type * as Exit from "effect/Exit"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { KeyRedaction } from "../journal/KeyRedaction.ts"
import type { RequestContext } from "./RequestContext.ts"
import type { Answered } from "../faults/FaultDelivery.ts"
import type { InjectedFault } from "../faults/Faults.ts"
import type { Journal } from "../journal/Journal.ts"
import { clipped, type Identity, type Target } from "../journal/Requests.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** A request under way: what its row in the journal will say. */
export interface RequestRecord {
  readonly request: Request
  /** Its address as the journal shows it. */
  readonly shown: string
  readonly target: Target
  readonly clock: Clock.Clock
  readonly at_ms: number
  readonly realAt_ms: number
  /** The last row of the journal when it came. */
  readonly after: number
  /** True if service time differs from the process's time, which Node uses for the Date header. */
  readonly dates: boolean
  identity: Identity
  context: RequestContext | undefined
  injected: InjectedFault | undefined
  /** True if other code writes its row. */
  handedOver: boolean
}

/** Maximum length of a header in the journal, in characters. */
const longestHeader = 256

/** A header as the journal keeps it. */
export const clippedOrNull = (value: string | undefined) => (value === undefined ? null : clipped(value, longestHeader))

const retryAfter_ms = (response: Response, now_ms: number): number | null => {
  const value = response.headers["retry-after"]
  if (value === undefined) return null
  const pause_ms = /^\d+$/u.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - now_ms)
  return Number.isFinite(pause_ms) ? pause_ms : null
}

/** Returns whether the connection was upgraded: its handler has no response afterwards. */
export const isTakenOver = ({ headers }: Request, { status }: Response): boolean =>
  status === 204 && headers["upgrade"] !== undefined

/** The status that was sent. */
const statusOf = (request: Request, response: Response): number =>
  isTakenOver(request, response) ? 101 : response.status

/** Writes what becomes of requests into a journal, without keys. */
export const makeRecorder = (journal: Journal["Service"], keys: KeyRedaction) => {
  /** The request is over; the status and the Retry-After that were sent, null where none was. */
  const ended = (current: RequestRecord, answered: Answered, status: number | null, retryAfter: number | null) => {
    if (!journal.enabled) return
    const { identity, request } = current
    const { headers } = request
    const row: { -readonly [Key in keyof typeof RequestEntry.Type]: (typeof RequestEntry.Type)[Key] } = {
      type: "request",
      seq: 0,
      at_ms: current.at_ms,
      realAt_ms: current.realAt_ms,
      operation: identity.operation,
      resource: identity.resource,
      create: identity.create,
      attempt: identity.attempt,
      after: current.after,
      method: request.method,
      path: current.shown,
      apiKey: keys.digestOf(request),
      idempotencyKey: clippedOrNull(headers["idempotency-key"]),
      userAgent: clippedOrNull(headers["user-agent"]),
      status,
      retryAfter_ms: retryAfter,
      answered,
      made: current.context?.made ?? null,
      fault: current.injected?.rule ?? null,
      duration_ms: current.clock.currentTimeMillisUnsafe() - current.at_ms
    }
    journal.recordUnsafe(row)
  }

  /** The request is over as its effect is: answered, or left by its caller. */
  const exited = <E>(current: RequestRecord, exit: Exit.Exit<Response, E>) => {
    if (current.handedOver) return
    if (exit._tag === "Failure") return ended(current, "left", null, null)
    ended(
      current,
      "whole",
      statusOf(current.request, exit.value),
      retryAfter_ms(exit.value, current.clock.currentTimeMillisUnsafe())
    )
  }

  /** A fault hits the request. */
  const injected = ({ at_ms, identity, realAt_ms }: RequestRecord, { fault, placement, rule }: InjectedFault) => {
    const { attempt, create, operation, resource } = identity
    const of = { operation, resource, create, attempt, rule, kind: fault.kind, placement }
    journal.recordUnsafe({ type: "fault", seq: 0, at_ms, realAt_ms, ...of })
  }

  return { ended, exited, injected }
}
