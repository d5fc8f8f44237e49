import * as Effect from "effect/Effect"
import * as LazyGroup from "../LazyGroup.ts"
import * as BrowserOperations from "../BrowserOperations.ts"
import { Served } from "./Served.ts"

/** The v2 operations on browsers, with the requests and responses of another version. */
export const layer = (conversion: BrowserOperations.BrowserConversion) =>
  LazyGroup.group(Served, "browsers", (handlers) =>
    Effect.map(BrowserOperations.make(conversion), (operations) => handlers.handleAll(operations))
  )
