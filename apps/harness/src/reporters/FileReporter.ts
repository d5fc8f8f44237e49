import * as AtomicFile from "@webagent/cli/AtomicFile"
import type { RunReport } from "@webagent/report/RunReport"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import { defineReporter, type ReporterContext, type ReporterServices } from "./Reporter.ts"

/** Options of a reporter that writes one file. */
export const Options = Schema.UndefinedOr(
  Schema.Struct({
    /** Another path for the file, in addition to the folder of the report. */
    file: Schema.String
  })
)
export type Options = typeof Options.Type

/** Defines a reporter that writes the report as one file. `render` also gets the path of the file. */
export const define = (
  name: string,
  fileName: string,
  render: (
    report: RunReport,
    context: ReporterContext<Options>,
    path: string
  ) => Effect.Effect<string, unknown, ReporterServices>
) => ({
  fileName,
  ...defineReporter<Options>({
    name,
    options: Options,
    make: (context) => ({
      onRunEnded: ({ report }) =>
        Effect.forEach(
          [join(context.directory, fileName), ...(context.options === undefined ? [] : [context.options.file])],
          (path) => Effect.flatMap(render(report, context, path), (text) => AtomicFile.write(path, text)),
          { discard: true }
        )
    })
  })
})
