import { consoleApiPath, ForbiddenError, SignInGroup, type SignInState } from "@webagent/admin"
import { RequestValidation } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Redacted from "effect/Redacted"
import * as LazyGroup from "../api/LazyGroup.ts"
import * as Audit from "../api/Audit.ts"
import type { Caller, CallersService } from "../api/Caller.ts"
import { NodeRouting, Placement } from "../api/Placement.ts"
import { isRefusal } from "../api/Refusal.ts"
import * as FailedKeys from "../http/policy/FailedKeys.ts"
import { sessionCookie, type makeFind } from "./ConsoleAuth.ts"
import { transportOf } from "./Origins.ts"
import type { SignIns } from "./Sessions.ts"
import type { ConsoleAccess } from "./Settings.ts"

/** The endpoints of the console that the admin API doesn't have. */
export const Served = HttpApi.make("console")
  .add(SignInGroup)
  .add(
    HttpApiGroup.make("socket").add(
      HttpApiEndpoint.get("open", "/socket"),
      HttpApiEndpoint.get("pictures", "/pictures/:browser_id").annotate(Placement, {
        node: "ofBrowser",
        param: "browser_id"
      })
    )
  )
  .middleware(RequestValidation)
  .prefix(consoleApiPath)
  .middleware(NodeRouting)

/** Path below which a browser sends the cookie. */
const cookiePath = "/console"

interface SignInOptions {
  readonly access: ConsoleAccess
  readonly callers: CallersService
  readonly find: ReturnType<typeof makeFind>
  readonly signIns: SignIns
}

const unencrypted = new ForbiddenError({
  detail:
    "An API key would be readable on the network here. Use the console on the server's own machine, or behind a proxy with TLS and --public-url https://"
})

/** The sign-in with an API key. */
export const layer = ({ access, callers, find, signIns }: SignInOptions) => {
  const stateOf = Effect.fnUntraced(function* (caller: Caller | undefined) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const isOpen = access === "open"
    const state: SignInState["state"] = isOpen
      ? "open"
      : caller !== undefined
        ? "signedIn"
        : (yield* transportOf(request)) === "plain"
          ? "insecure"
          : "signedOut"
    return { state, key: isOpen ? null : (caller?.name ?? null) }
  })
  const countFailure = FailedKeys.make()
  return LazyGroup.group(Served, "signIn", (handlers) =>
    handlers.handleAll({
      state: () =>
        Effect.flatMap(
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => find(request)),
          stateOf
        ),
      create: Effect.fnUntraced(function* ({ payload }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const transport = yield* transportOf(request)
        if (transport === "plain") return yield* unencrypted
        const caller = yield* Effect.tapError(callers.find(Redacted.value(payload.key)), (error) =>
          isRefusal(error) ? Effect.void : countFailure(Redacted.value(payload.key))
        )
        const before = request.cookies[sessionCookie.key]
        if (before !== undefined) yield* signIns.close(before)
        const token = yield* signIns.open(caller)
        yield* Audit.add({ key: caller.name, action: "console.signIn", ids: [], status: 200 })
        yield* HttpApiBuilder.securitySetCookie(sessionCookie, token, {
          secure: transport === "tls",
          sameSite: "strict",
          path: cookiePath
        })
        return yield* stateOf(caller)
      }),
      remove: Effect.fnUntraced(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const token = request.cookies[sessionCookie.key]
        if (token !== undefined) {
          const caller = yield* signIns.find(token)
          yield* signIns.close(token)
          if (caller !== undefined)
            yield* Audit.add({ key: caller.name, action: "console.signOut", ids: [], status: 204 })
        }
        yield* HttpApiBuilder.securitySetCookie(sessionCookie, "", {
          secure: (yield* transportOf(request)) === "tls",
          sameSite: "strict",
          path: cookiePath,
          maxAge: 0
        })
      })
    })
  )
}
