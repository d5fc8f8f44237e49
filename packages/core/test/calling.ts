/** A program that makes one call with the HttpClient of its platform, and says what then keeps it alive. */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { ClientConfig, layerHttp, Transport } from "../src/index.ts"

const [, , baseUrl = ""] = process.argv

const runtime = ManagedRuntime.make(
  Transport.layer.pipe(Layer.provide(layerHttp), Layer.provide(ClientConfig.layer({ baseUrl, apiKey: "canary" })))
)
const call = Effect.flatMap(Transport, (transport) => transport.execute("v4", HttpClientRequest.get("/x")))
const { status } = await runtime.runPromise(call)
setImmediate(() => console.log(JSON.stringify({ status, alive: process.getActiveResourcesInfo() })))
