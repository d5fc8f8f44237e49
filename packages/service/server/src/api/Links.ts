import { LiveViews, Recordings, type StoreUnavailable } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Nodes } from "../nodes/Nodes.ts"
import { LinkTokens } from "./LinkTokens.ts"
import { originOf } from "./Origin.ts"

/** The address of a path of this server that opens without a key. */
type LinkTo = (path: string) => string

/** Links with this start that carry the token that opens them. */
export const linkTo =
  (tokens: LinkTokens["Service"], start: string): LinkTo =>
  (path) =>
    `${start}${path}?token=${tokens.of(path)}`

/**
 * The path of a recording, also as a route with `:id`: of a browser's, of a session that had no browser, or of a picture
 * of a step by its reference.
 */
export const recordingPath = <const Id extends string>(id: Id) => `/recordings/${id}` as const

/** The path of a session that is shared, also as a route with `:session_id`. */
export const sharePath = <const Id extends string>(sessionId: Id) => `/share/${sessionId}` as const

/** The path of a browser's live views, also as a route: a token follows, which logs must not keep. */
export const livePath = <const Id extends string>(browserId: Id) => `/live/${browserId}` as const

/** The purpose in the token of a person who takes over a browser. */
const controlPath = (browserId: string) => `${livePath(browserId)}/control`

/** The purpose in the token of the person who has control, as long as the control with this id lasts. */
const driverPath = (browserId: string, control: string) => `${controlPath(browserId)}/${control}`

/** Access to a browser that a token grants: watching, driving while control is free, or driving with control. */
export const accessOf = (
  tokens: LinkTokens["Service"],
  browserId: string,
  token: string,
  control: string | null = null
): "view" | "control" | "driver" | undefined => {
  if (tokens.opens(livePath(browserId), token)) return "view"
  if (tokens.opens(controlPath(browserId), token)) return "control"
  return control !== null && tokens.opens(driverPath(browserId, control), token) ? "driver" : undefined
}

/** For how long the link to a recording opens it. */
const recordingLifetime_s = 3600

const expiring = (path: string, expires: string) => `${path}?expires=${expires}`

/** True if a link grants access to a recording at this time. */
export const opensRecording = (
  tokens: LinkTokens["Service"],
  { expires, id, token }: { readonly id: string; readonly expires: string; readonly token: unknown },
  now_ms: number
): boolean =>
  /^\d{1,12}$/u.test(expires) &&
  Number(expires) * 1000 > now_ms &&
  tokens.opens(expiring(recordingPath(id), expires), token)

/** The links of answers to a caller. */
export interface Links {
  readonly to: LinkTo
  /** True if browsers have a live view on this server. */
  readonly showsBrowsers: boolean
  /** Address of the browser's live view; null while it has none. */
  readonly live: (browserId: string | null) => string | null
  /** Address at which a person can take over the browser; null while it has no live view. */
  readonly control: (browserId: string | null) => string | null
  /** Address at which the person drives who has the control with this id; null while the browser has no live view. */
  readonly driver: (browserId: string, control: string) => string | null
  /**
   * Address of a browser's recording after it stopped, or of a picture of a step; the link expires. Null if the server
   * doesn't record.
   */
  readonly recording: (id: string) => string | null
}

/** Makes the links of answers; of one that tells of a browser, for that browser. */
export const make = Effect.gen(function* () {
  const tokens = yield* LinkTokens
  const views = yield* LiveViews
  const recordings = yield* Recordings
  const nodes = yield* Nodes
  const isSeen = (browserId: string | null): Effect.Effect<boolean, StoreUnavailable> => {
    if (browserId === null || views === null) return Effect.succeed(false)
    return nodes === null || views.has(browserId) ? Effect.succeed(views.has(browserId)) : nodes.isElsewhere(browserId)
  }
  /** True if browsers have a live view on this server. */
  const showsBrowsers = views !== null
  const linksOf = (
    request: HttpServerRequest.HttpServerRequest,
    of: string | null = null
  ): Effect.Effect<Links, StoreUnavailable> =>
    Effect.withFiber((fiber) => {
      const now_ms = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
      return Effect.flatMap(isSeen(of), (seen) =>
        Effect.map(originOf(request), (start): Links => {
          const live = (path: (browserId: string) => string) => (browserId: string | null) =>
            seen && browserId !== null && browserId === of
              ? `${start}${livePath(browserId)}/${tokens.of(path(browserId))}`
              : null
          return {
            to: linkTo(tokens, start),
            showsBrowsers,
            live: live(livePath),
            control: live(controlPath),
            driver: (browserId, control) => live((id) => driverPath(id, control))(browserId),
            recording: (id) => {
              if (recordings === null) return null
              const path = expiring(recordingPath(id), String(Math.floor(now_ms / 1000) + recordingLifetime_s))
              return `${start}${path}&token=${tokens.of(path)}`
            }
          }
        })
      )
    })
  return Object.assign(linksOf, { showsBrowsers })
})

/** Path and query of a link: it is for the address that the client uses. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
