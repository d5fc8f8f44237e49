import * as Layer from "effect/Layer"
import * as BrowserHandlers from "./BrowserHandlers.ts"
import * as Events from "./Events.ts"
import * as ResourceHandlers from "./ResourceHandlers.ts"
import * as RunHandlers from "./RunHandlers.ts"
import * as SessionHandlers from "./SessionHandlers.ts"

export { conversion as browsers } from "./BrowserHandlers.ts"
export { reads } from "./RunHandlers.ts"
export { Served } from "./Served.ts"

/** The v4 operations over the engine. */
export const layer = Layer.mergeAll(
  RunHandlers.layer,
  Events.layer,
  SessionHandlers.layer,
  BrowserHandlers.layer,
  ResourceHandlers.layer
)
