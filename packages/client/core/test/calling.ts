/** A program that makes one call with the HttpClient of its platform, and says what then keeps it alive. */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as References from "effect/References"
import { ClientConfig, layerHttp, execute, Transport } from "../src/index.ts"

const [, , baseUrl = ""] = process.argv

const timeouts = JSON.parse(process.env["TIMEOUTS"] ?? "{}") as object

const log: Array<readonly [string, unknown]> = []
const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
  log.push([logLevel, Array.isArray(message) ? message[0] : message])
})

const runtime = ManagedRuntime.make(
  Transport.layer.pipe(
    Layer.provide(layerHttp),
    Layer.provide(ClientConfig.layer({ baseUrl, apiKey: "canary", timeouts })),
    Layer.provide([Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Debug")])
  )
)
const call = Effect.flatMap(Transport, (transport) => execute(transport, "v4", HttpClientRequest.get("/x")))
const ended = await runtime.runPromise(
  Effect.match(call, {
    onSuccess: ({ status }) => ({ status }),
    onFailure: ({ reason }) => ({ reason: reason._tag })
  })
)
setImmediate(() => console.log(JSON.stringify({ ...ended, log, alive: process.getActiveResourcesInfo() })))
