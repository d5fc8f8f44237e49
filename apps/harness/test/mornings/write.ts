/**
 * Writes the prepared mornings for people and for programs that read nights: `npm run mornings -- FOLDER`. Each gets a folder
 * with its history, and the report of its last night as JSON, Markdown, page and console text. Give the pages to someone who
 * hasn't seen the code, and time how long they need to say what is wrong and what to do.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { plain } from "@webagent/cli/Style"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Screens from "../../src/page/Screens.ts"
import { mornings } from "./mornings.ts"
import { consoleText, markdownText, pageText } from "./texts.ts"

const bundle = await Effect.runPromise(Effect.provide(Screens.bundle, NodeServices.layer))
const [, , folder] = process.argv
if (folder === undefined) throw new Error("Name a folder.")
for (const [name, morning] of Object.entries(mornings)) {
  const to = join(folder, name.replaceAll(" ", "-"))
  mkdirSync(to, { recursive: true })
  const { nights, report } = morning
  writeFileSync(join(to, "history.ndjson"), nights.map((night) => `${JSON.stringify(night)}\n`).join(""))
  writeFileSync(join(to, "report.json"), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(to, "console.txt"), await Effect.runPromise(consoleText(report, plain)))
  writeFileSync(join(to, "summary.md"), markdownText(report))
  writeFileSync(join(to, "report.html"), pageText(report, nights, bundle))
  process.stdout.write(`${join(to, "report.html")}\n`)
}
