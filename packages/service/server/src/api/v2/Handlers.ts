import * as Layer from "effect/Layer"
import * as SessionHandlers from "./SessionHandlers.ts"
import * as TaskHandlers from "./TaskHandlers.ts"

export { Served } from "./Served.ts"
export { read } from "./SessionHandlers.ts"

/** The v2 operations over the engine. */
export const layer = Layer.merge(SessionHandlers.layer, TaskHandlers.layer)
