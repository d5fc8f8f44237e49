import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as V2 from "../api/v2/Handlers.ts"
import * as V3 from "../api/v3/Handlers.ts"
import * as V4 from "../api/v4/Handlers.ts"
import * as CdpEndpoint from "./CdpEndpoint.ts"
import * as Docs from "./Docs.ts"
import * as Identity from "./Identity.ts"
import * as Recordings from "./Recordings.ts"
import * as Unrouted from "./Unrouted.ts"

const versions = Layer.mergeAll(
  HttpApiBuilder.layer(V2.Served).pipe(Layer.provide(V2.layer)),
  HttpApiBuilder.layer(V3.Served).pipe(Layer.provide(V3.layer)),
  HttpApiBuilder.layer(V4.Served).pipe(Layer.provide(V4.layer))
)

/** Every route of the server; needs an Engine, LinkTokens and the contract's two middlewares. */
export const layer = (options: { readonly simulated: boolean }) =>
  Layer.mergeAll(versions, CdpEndpoint.layer, Docs.layer, Identity.layer(options), Recordings.layer, Unrouted.layer)
