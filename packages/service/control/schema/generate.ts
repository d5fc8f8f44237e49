/** Writes the JSON Schema of each kind of settings file beside this file: `npm run openapi`. */
import * as Schema from "effect/Schema"
import { writeFileSync } from "node:fs"
import { FaultPlan } from "../src/FaultPlan.ts"
import { ProfileFile } from "../src/SettingsFile.ts"

const document = (title: string, schema: Schema.Constraint): string => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  const described = { $schema: "https://json-schema.org/draft/2020-12/schema", title, ...root, $defs: definitions }
  return `${JSON.stringify(described, null, 2)}\n`
}

/** The schema of each kind of file as the text of its own file. */
export const documents = (): Record<"profile" | "faults", string> => ({
  profile: document("Profile of a simulated web-agent service", ProfileFile),
  faults: document("Fault plan of a simulated web-agent service", FaultPlan)
})

if (import.meta.main) {
  for (const [name, text] of Object.entries(documents())) {
    writeFileSync(new URL(`${name}.json`, import.meta.url), text)
  }
}
