import { Listener } from "@webagent/server"
import { portInUse, usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"

/** Serves an app on a port of this machine for as long as the scope lives; answers its address. */
export const listening = Effect.fnUntraced(function* <E>(
  port: number,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest>
) {
  const context = yield* Layer.build(Listener.layer({ host: "127.0.0.1", port })).pipe(
    Effect.catchTags({
      PortInUseError: () => Effect.fail(portInUse(port)),
      ListenError: (error) => Effect.fail(usage(`${error.message}.`))
    })
  )
  yield* Effect.provideContext(HttpServer.serveEffect(app), context)
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
  return HttpServer.formatAddress(address)
})
