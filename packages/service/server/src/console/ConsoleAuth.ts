import { consoleIdleHeader, ForbiddenError } from "@webagent/admin"
import { declared, TooManyRequestsError, UnauthorizedError } from "@webagent/contract"
import type { StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Caller, CallersService } from "../api/Caller.ts"
import * as AdminAuth from "../http/policy/AdminAuth.ts"
import * as RefusalResponse from "../http/policy/RefusalResponse.ts"
import type { SignIns } from "./Sessions.ts"
import type { ConsoleAccess } from "./Settings.ts"

/** The cookie of a session. */
export const sessionCookie = HttpApiSecurity.apiKey({ key: "webagent_console", in: "cookie" })

/** Lets requests with a session's cookie through. */
export class ConsoleAuth extends HttpApiMiddleware.Service<ConsoleAuth>()("@webagent/server/ConsoleAuth", {
  error: [declared(UnauthorizedError), declared(ForbiddenError), declared(TooManyRequestsError)]
}) {}

/** Everybody on this machine, where the console needs no sign-in. It sees the records of every key. */
const anyone: Caller = { name: "console", isAdmin: true, owner: null, key: null }

/** Finds out who uses the console. */
export const makeFind =
  (access: ConsoleAccess, signIns: SignIns) =>
  (
    request: HttpServerRequest.HttpServerRequest,
    isUse = !(consoleIdleHeader in request.headers)
  ): Effect.Effect<Caller | undefined, StoreUnavailable> => {
    if (access === "open") return Effect.succeed(anyone)
    const token = request.cookies[sessionCookie.key]
    return token === undefined ? Effect.undefined : signIns.find(token, isUse)
  }

/** The error of a request without a session. */
export const signedOut = new UnauthorizedError({ detail: "Sign in to the console" })

/** Checks the session of each request. */
export const layer = (callers: CallersService, find: ReturnType<typeof makeFind>): Layer.Layer<ConsoleAuth> =>
  Layer.succeed(ConsoleAuth, (app, { endpoint, group }) =>
    Effect.gen(function* () {
      const session = yield* Effect.result(
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => find(request))
      )
      if (Result.isFailure(session)) return RefusalResponse.make(session.failure)
      if (session.success === undefined) return yield* signedOut
      return yield* AdminAuth.run(callers, session.success, { endpoint, group }, app)
    })
  )
