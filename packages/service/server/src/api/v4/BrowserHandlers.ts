import * as Effect from "effect/Effect"
import * as LazyGroup from "../LazyGroup.ts"
import * as BrowserOperations from "../BrowserOperations.ts"
import * as Conversion from "./Conversion.ts"
import { Served } from "./Served.ts"

/** Conversion of v4's browser requests and responses. */
export const conversion: BrowserOperations.BrowserConversion = {
  toDomain: Conversion.browserToDomain,
  fromDomain: Conversion.browserFromDomain,
  readFromDomain: Conversion.browserReadFromDomain
}

/** The v4 operations on browsers. */
export const layer = LazyGroup.group(Served, "browsers", (handlers) =>
  Effect.map(BrowserOperations.make(conversion), (operations) => handlers.handleAll(operations))
)
