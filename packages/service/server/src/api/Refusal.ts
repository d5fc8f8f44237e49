import { AdmissionRefused, LaunchFailed, ProfileNotFound, ProfileUnusable, StoreUnavailable } from "@webagent/engine"
import * as Schema from "effect/Schema"

/** The engine can't carry out a valid request: not now, or not with its profile. */
export const Refusal = Schema.Union([
  Schema.instanceOf(AdmissionRefused),
  Schema.instanceOf(LaunchFailed),
  Schema.instanceOf(ProfileNotFound),
  Schema.instanceOf(ProfileUnusable),
  Schema.instanceOf(StoreUnavailable)
])
export type Refusal = typeof Refusal.Type

/** Returns true for the engine's refusals. */
export const isRefusal = Schema.is(Refusal)
