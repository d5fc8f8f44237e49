import { storeContract } from "@webagent/store-contract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, SqlStore } from "../src/index.ts"
import { file } from "./files.ts"

const database = Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path })))

storeContract("SqlStore", Layer.orDie(Layer.provide(SqlStore.layer, database)))
