import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** The log on standard error: standard output is for what the server prints once it listens. */
export const layerLog = (format: "text" | "json"): Layer.Layer<never> =>
  Logger.layer([Logger.withConsoleError(format === "json" ? Logger.formatJson : Logger.formatLogFmt)])
