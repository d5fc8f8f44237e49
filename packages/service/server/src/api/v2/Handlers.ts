import * as Layer from "effect/Layer"
import type { BrowserConversion } from "../BrowserOperations.ts"
import * as BrowserHandlers from "./BrowserHandlers.ts"
import * as ResourceHandlers from "./ResourceHandlers.ts"
import * as SessionHandlers from "./SessionHandlers.ts"
import * as TaskHandlers from "./TaskHandlers.ts"

export { Served } from "./Served.ts"
export { read } from "./SessionHandlers.ts"

/** The v2 operations over the engine. Browsers have the requests and responses of v4. */
export const layer = (browsers: BrowserConversion) =>
  Layer.mergeAll(SessionHandlers.layer, TaskHandlers.layer, BrowserHandlers.layer(browsers), ResourceHandlers.layer)
