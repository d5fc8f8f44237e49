import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as BrowserOperations from "../BrowserOperations.ts"
import { Served } from "./Served.ts"

/** The v3 operations on browsers, with the requests and responses of another version. */
export const layer = (conversion: BrowserOperations.BrowserConversion) =>
  HttpApiBuilder.group(Served, "browsers", (handlers) =>
    Effect.map(BrowserOperations.make(conversion), (operations) => handlers.handleAll(operations))
  )
