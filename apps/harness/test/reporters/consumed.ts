import * as NodeServices from "@effect/platform-node/NodeServices"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { ScenarioResult } from "@webagent/report/RunReport"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { consume, type Reporter, type ReporterDefinition, type ReporterServices } from "../../src/reporters/Reporter.ts"

/** Passes events to a reporter, with the services of the test in place of those of this machine. */
export const consumed = (
  reporter: Reporter,
  events: Stream.Stream<RunEvent> | ReadonlyArray<RunEvent>,
  services: Layer.Layer<never> | Layer.Layer<ReporterServices> | Layer.Layer<FileSystem.FileSystem> = Layer.empty
) =>
  consume(reporter)(Stream.isStream(events) ? events : Stream.fromIterable(events)).pipe(
    Effect.provide(Layer.merge(NodeServices.layer, services)),
    Effect.orDie
  )

/** Creates a reporter whose files belong into the folder `out`. */
export const made = <Options>(
  { make, name }: ReporterDefinition<Options>,
  options: Options,
  replay: (result: ScenarioResult) => string
): Reporter => ({
  name,
  ...make({
    options,
    directory: "out",
    files: [],
    page: undefined,
    replay,
    ignoring: () => undefined,
    commands: { program: "npx webagent-harness", history: "", quarantine: "" },
    reap: () => undefined,
    nights: [],
    history: undefined
  })
})
