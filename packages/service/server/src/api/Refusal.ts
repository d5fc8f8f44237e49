import { AdmissionRefused, LaunchFailed, StoreUnavailable } from "@webagent/engine"
import * as Schema from "effect/Schema"

/** The engine can't carry out a valid request now. A later attempt may succeed. */
export const Refusal = Schema.Union([
  Schema.instanceOf(AdmissionRefused),
  Schema.instanceOf(LaunchFailed),
  Schema.instanceOf(StoreUnavailable)
])
export type Refusal = typeof Refusal.Type

/** Returns true for the engine's refusals. */
export const isRefusal = Schema.is(Refusal)
