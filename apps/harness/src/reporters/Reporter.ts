import type * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import type * as Stream from "effect/Stream"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { ScenarioResult } from "@webagent/report/RunReport"

/** Turns the events of a run into something to look at. It sees results only and ends with the stream. */
export type Reporter<R = never> = (events: Stream.Stream<RunEvent>) => Effect.Effect<void, PlatformError, R>

/** The command that runs one scenario again as it ran. */
export type Replay = (result: ScenarioResult) => string
