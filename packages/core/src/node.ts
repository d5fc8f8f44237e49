import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { ClientConfig } from "./ClientConfig.ts"
import * as HttpUndici from "./HttpUndici.ts"
import * as WholeAnswer from "./WholeAnswer.ts"

/**
 * The HttpClient for Node: undici itself, at half the cost of fetch, with connections that are kept for the pause
 * between two polls, and the only one that holds `timeouts.connect`. It needs `@effect/platform-node`.
 *
 * @example
 * ```ts
 * import { ClientConfig, Transport } from "@webagent/core"
 * import { layerUndici } from "@webagent/core/node"
 * import * as Layer from "effect/Layer"
 *
 * export const layer = Transport.layer.pipe(Layer.provide(layerUndici), Layer.provide(ClientConfig.layerConfig))
 * ```
 */
export const layerUndici: Layer.Layer<HttpClient.HttpClient, never, ClientConfig> = Layer.unwrap(
  Effect.map(ClientConfig, ({ timeouts }) =>
    Layer.effect(
      HttpClient.HttpClient,
      Effect.gen(function* () {
        return WholeAnswer.attach(yield* NodeHttpClient.makeUndici, HttpUndici.sendBy(yield* NodeHttpClient.Dispatcher))
      })
    ).pipe(
      Layer.provide(
        NodeHttpClient.layerDispatcherOptions({
          // polls of one run are up to 15 s apart; undici's own 4 s would connect again for each
          keepAliveTimeout: 20_000,
          connect: { timeout: Duration.toMillis(timeouts.connect ?? "10 seconds") }
        })
      )
    )
  )
)

/** The same for a WebAgent of a promise entry point: `new WebAgent({ httpClient: undici })`. */
export const undici = { layer: layerUndici }
