import { isLoopback } from "@webagent/contract/Loopback"
import { ControlApi, type ControlOperations, controlPath } from "@webagent/control"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { Hosts, Listener } from "@webagent/server"
import type { Journal } from "../journal/Journal.ts"
import { Simulation } from "../requests/Simulation.ts"
import type { Control } from "./Control.ts"
import * as ControlKey from "./ControlKey.ts"
import * as ControlValidation from "./ControlValidation.ts"
import * as Handlers from "./Handlers.ts"
import * as Routes from "./Routes.ts"
import * as Trap from "./Trap.ts"

/** Address and key of the control API. */
export interface ControlOptions {
  /** Key that every request must carry in `X-Control-Key`. It isn't one of the service's API keys. */
  readonly key: string
  /** 0, the default, is any free port. */
  readonly port?: number
  /** 127.0.0.1 unless given. Any program that reaches it and has the key can do everything. */
  readonly host?: string
}

const routes = (key: string, apiKeys: ReadonlyArray<string>) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(ControlApi).pipe(
      Layer.provide(Handlers.layer(ControlApi as object as typeof ControlOperations)),
      Layer.provide([ControlKey.layer(key), ControlValidation.layer])
    ),
    Routes.document,
    Routes.unrouted,
    Trap.layer(apiKeys)
  )

/**
 * The control API on a port of its own. It answers while the service is down on purpose, and no fault or limit applies to
 * it. To reach the service is not enough to reach it.
 */
export class ControlServer extends Context.Service<
  ControlServer,
  {
    /** Such as `http://127.0.0.1:41874/control/v1`; undefined while there is no control API. */
    readonly address: string | undefined
    /** True if only this machine can reach it. */
    readonly loopback: boolean
  }
>()("@webagent/simulation/ControlServer") {
  /** No control API. */
  static readonly layerOff: Layer.Layer<ControlServer> = Layer.succeed(ControlServer, {
    address: undefined,
    loopback: false
  })

  /**
   * Serves the control API on its own port, and records redirected requests there.
   *
   * @param options - The control key, the port and the host. `apiKeys` are those of the service, which no row shows.
   * @returns A layer with the address.
   * @throws `PortInUseError` if the port is in use, and `ListenError` if the host can't be used.
   * @example
   * ```ts
   * import { ControlServer } from "@webagent/simulation"
   *
   * export const layer = ControlServer.layer({ key: "control-secret", port: 41874, apiKeys: ["wak_test"] })
   * ```
   */
  static readonly layer = (
    options: ControlOptions & { readonly apiKeys: ReadonlyArray<string> }
  ): Layer.Layer<ControlServer, Listener.PortInUseError | Listener.ListenError, Control | Journal | Simulation> => {
    const { apiKeys, host = "127.0.0.1", key, port = 0 } = options
    return Layer.effect(
      ControlServer,
      Effect.gen(function* () {
        const server = yield* HttpServer.HttpServer
        const app = yield* HttpRouter.toHttpEffect(routes(key, apiKeys))
        yield* HttpServer.serveEffect(Hosts.checked(app))
        const origin = HttpServer.formatAddress(server.address)
        const { setTrap } = yield* Simulation
        yield* setTrap(`${origin}${Trap.trapPath}`)
        return { address: `${origin}${controlPath}`, loopback: isLoopback(host) }
      })
    ).pipe(Layer.provide(Listener.layer({ host, port })))
  }
}
