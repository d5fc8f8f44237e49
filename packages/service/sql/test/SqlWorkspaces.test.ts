import { assert, it } from "@effect/vitest"
import { TimeOrderedIds, Workspaces } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, FileBytes, FileFolder, SqlWorkspaces } from "../src/index.ts"
import { file } from "./files.ts"
import { plansOf } from "./plans.ts"
import { workspacesOver } from "./workspaces.ts"

const database = Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path })))

workspacesOver("SQLite", database)

it.live("SqlWorkspaces over SQLite look for old files without reading the others", () =>
  Effect.gen(function* () {
    const path = yield* file
    const bytes = Layer.succeed(FileBytes, FileFolder.make(`${path}-files`))
    const layer = SqlWorkspaces.layer().pipe(
      Layer.provide([Database.layer({ file: path }), bytes, TimeOrderedIds.layer])
    )
    const prune = Effect.flatMap(Workspaces, (workspaces) => workspaces?.prune(0) ?? Effect.succeed(0))
    const plans = yield* plansOf(path, Effect.provide(prune, layer))
    const steps = plans.filter(({ text }) => text.includes("owners")).flatMap((plan) => plan.steps)
    assert.deepStrictEqual(
      steps.filter((step) => step.startsWith("SEARCH") || / (?:w|f|workspaces)$/u.test(step)),
      [
        "SEARCH workspaces USING COVERING INDEX workspaces_owned",
        "SEARCH w USING COVERING INDEX workspaces_owned (owner>?)",
        "SEARCH f USING COVERING INDEX workspace_files_modified (owner=?)",
        "SEARCH w USING INDEX workspaces_over (owner=?)"
      ]
    )
  })
)
