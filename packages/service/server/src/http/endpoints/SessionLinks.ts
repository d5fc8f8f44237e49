import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as LazyGroup from "../../api/LazyGroup.ts"
import * as LinkOwners from "../../api/LinkOwners.ts"
import * as Links from "../../api/Links.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import * as Conversion from "../../api/v2/Conversion.ts"
import { Engine, Recordings } from "@webagent/engine"
import { ServerApi } from "./ServerApi.ts"
import * as ErrorResponse from "../policy/ErrorResponse.ts"
import * as RangedFile from "./RangedFile.ts"

/** One grey pixel: the recording of a session that had no browser. */
const frame = Buffer.from("R0lGODlhAQABAIAAAMLCwgAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64")

/** Time that a request waits for a recording that is being written. */
const patience = "30 seconds"

const requested = Effect.gen(function* () {
  const { id = "", picture } = yield* HttpRouter.params
  const { expires, token } = yield* HttpServerRequest.ParsedSearchParams
  return { id: [id, ...(picture === undefined ? [] : [picture])].join("/").toLowerCase(), expires, token }
})

/** The target of a `recordingUrl` or `pictureUrl`. It takes a token and no key, like a presigned link. */
const recording = LazyGroup.make(ServerApi, "recordings", function* (handlers) {
  const engine = yield* Engine
  const tokens = yield* LinkTokens
  const recordings = yield* Recordings
  const owners = yield* LinkOwners.LinkOwners
  const revoked = ErrorResponse.make(403, LinkOwners.revokedSentence)
  const notFound = ErrorResponse.make(404, "Recording not found")

  const ofSession = (id: string) =>
    engine.session(id).pipe(
      Effect.flatMap(({ session }) =>
        Effect.map(owners.mayOpen(session.owner), (opens) => {
          if (!opens) return revoked
          return session.recording && session.status === "stopped"
            ? HttpServerResponse.uint8Array(frame, { contentType: "image/gif" })
            : notFound
        })
      ),
      Effect.catchTag("SessionNotFound", () => Effect.succeed(notFound))
    )

  const ofBrowser = Effect.fnUntraced(function* (id: string) {
    // a recording can be kept for longer than the record of its browser
    const owner = yield* engine.browser(id.split("/")[0] ?? id).pipe(
      Effect.map((browser) => browser.owner),
      Effect.catchTag("BrowserNotFound", () => Effect.succeed(null))
    )
    if (!(yield* owners.mayOpen(owner))) return revoked
    const recording = yield* Effect.timeoutOption(recordings?.find(id) ?? Effect.succeedNone, patience)
    if (Option.isNone(recording)) {
      return ErrorResponse.make(503, "The recording is being written. Try again in a few seconds.", {
        "retry-after": "5"
      })
    }
    return Option.isNone(recording.value) ? notFound : yield* RangedFile.answer(recording.value.value)
  })

  const answer = Effect.gen(function* () {
    const { expires, id, token } = yield* requested
    if (typeof expires !== "string") {
      return tokens.opens(Links.recordingPath(id), token) ? yield* ofSession(id) : notFound
    }
    const now_ms = yield* Clock.currentTimeMillis
    return Links.opensRecording(tokens, { id, expires, token }, now_ms) ? yield* ofBrowser(id) : notFound
  })
  return handlers.handleAll({ browser: () => answer, picture: () => answer })
})

/** The target of a `publicShareUrl`: the session as v2 shows it, without a key. */
const share = LazyGroup.make(ServerApi, "shares", function* (handlers) {
  const engine = yield* Engine
  const tokens = yield* LinkTokens
  const linksOf = yield* Links.make
  const notFound = ErrorResponse.make(404, "Session not found")
  return handlers.handle("session", ({ request }) =>
    Effect.gen(function* () {
      const { session_id = "" } = yield* HttpRouter.params
      const id = session_id.toLowerCase()
      const { token } = yield* HttpServerRequest.ParsedSearchParams
      if (!tokens.opens(Links.sharePath(id), token)) return notFound
      const withTurns = yield* engine.session(id)
      if (!withTurns.session.shared) return notFound
      return HttpServerResponse.jsonUnsafe(Conversion.fromDomain(withTurns, yield* linksOf(request)))
    }).pipe(Effect.catchTag("SessionNotFound", () => Effect.succeed(notFound)))
  )
})

/** The links to sessions and recordings that take no key. */
export const layer = Layer.merge(recording, share)
