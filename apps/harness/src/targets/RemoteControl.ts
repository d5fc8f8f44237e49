import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { ControlClient } from "@webagent/control"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { unreachable, usage } from "@webagent/cli/UserError"
import { codeOf } from "../observe/SystemError.ts"
import * as Introspection from "./Introspection.ts"

/** Address of the target's control API, and the variable that holds its key. */
interface RemoteControlOptions {
  readonly address: string
  readonly keyEnv: string
  readonly key: Redacted.Redacted | undefined
}

const patience = Duration.seconds(5)

/** Opens the control API of a simulated server in another process, for as long as the scope lives. */
export const open = Effect.fnUntraced(function* ({ address, key, keyEnv }: RemoteControlOptions) {
  const url = URL.parse(address)
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return yield* usage(`--control takes the address of a control API such as http://127.0.0.1:8081, not "${address}".`)
  }
  if (key === undefined || Redacted.value(key).trim() === "") {
    return yield* usage(`No control key: set ${keyEnv} to the server's start values.`)
  }
  const services = yield* Layer.build(NodeHttpClient.layerUndici)
  const control = yield* ControlClient.make({ address, key }).pipe(
    Effect.provideService(HttpClient.HttpClient, Context.get(services, HttpClient.HttpClient))
  )
  // the oracles are the server's own, and are loaded for who needs them
  const { verdictsOf } = yield* Effect.promise(() => import("@webagent/simulation"))
  yield* control.state.getTime().pipe(
    Effect.catchTag("ControlUnauthorizedError", () =>
      Effect.fail(
        unreachable(`The control API at ${address} does not take the key in ${keyEnv}`, ": set it to the server's.")
      )
    ),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () =>
        Effect.fail(unreachable(`No control API responds at ${address} within ${Duration.format(patience)}`, "."))
    }),
    Effect.mapError((error) =>
      error._tag === "UserError"
        ? error
        : unreachable(
            `No control API responds at ${address} (${codeOf(error) ?? error.message})`,
            ". Use the address that serve prints with --control."
          )
    )
  )
  const introspection = yield* Effect.mapError(Introspection.remote(control, verdictsOf), ({ message }) =>
    unreachable(message)
  )
  return { control, introspection }
})
