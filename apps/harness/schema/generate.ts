/** Writes the JSON Schema of each JSON output of the harness into docs/json: `npm run docs`. */
import * as Schema from "effect/Schema"
import { mkdirSync, writeFileSync } from "node:fs"
import { CompareOutput } from "../src/cli/compare/CompareOutput.ts"
import { DoctorOutput } from "../src/cli/doctor/DoctorOutput.ts"
import { DriftOutput } from "../src/cli/drift/DriftOutput.ts"
import { HistoryOutput, JudgeOutput } from "../src/cli/history/HistoryOutput.ts"
import { ListOutput } from "../src/cli/list/ListOutput.ts"
import { AbOutput, LoadOutput } from "../src/cli/load/LoadOutput.ts"
import { PlanOutput } from "../src/cli/plan/PlanOutput.ts"
import { CleanupOutput } from "../src/cli/cleanup/CleanupOutput.ts"
import { Notification } from "../src/reporters/Notification.ts"
import { ServeOutput } from "@webagent/simulation/ServeOutput"

/** The schema of each output, by the command that prints it. */
const outputs: Readonly<Record<string, Schema.Constraint>> = {
  list: ListOutput,
  plan: PlanOutput,
  history: HistoryOutput,
  "history --judge": JudgeOutput,
  compare: CompareOutput,
  cleanup: CleanupOutput,
  doctor: DoctorOutput,
  drift: DriftOutput,
  load: LoadOutput,
  "load compare": AbOutput,
  serve: ServeOutput,
  notification: Notification
}

/** Folder of the schemas. */
export const folder = new URL("../../../docs/json/", import.meta.url)

/** The text of each schema's file, by its name. */
export const documents = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(outputs).map(([command, schema]) => {
      const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
      const title =
        command === "notification" ? "Notification of webagent-harness" : `${command} --json of webagent-harness`
      const described = { $schema: "https://json-schema.org/draft/2020-12/schema", title, ...root, $defs: definitions }
      return [`${command.replace(/ (?:--)?/u, "-")}.json`, `${JSON.stringify(described, null, 2)}\n`]
    })
  )

if (import.meta.main) {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(documents())) writeFileSync(new URL(name, folder), text)
}
