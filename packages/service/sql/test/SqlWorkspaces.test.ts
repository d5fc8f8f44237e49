import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database } from "../src/index.ts"
import { file } from "./files.ts"
import { workspacesOver } from "./workspaces.ts"

const database = Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path })))

workspacesOver("SQLite", database)
