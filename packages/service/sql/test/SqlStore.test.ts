import { Store } from "@webagent/engine"
import { storeContract } from "@webagent/store-contract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, SqlStore } from "../src/index.ts"
import { file } from "./files.ts"
import { repeatedCreatesOver } from "./repeatedCreates.ts"

const database = Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path })))

const stored = Layer.orDie(Layer.provide(SqlStore.layer, database))

storeContract("SqlStore", stored)

/** Every commit in a transaction of its own, as one with an admission. */
const alone = Effect.map(Store, (store) =>
  Store.of({ ...store, commit: (step) => store.commit({ also: Effect.void, ...step }) })
)

storeContract("SqlStore without group commits", Layer.provide(Layer.effect(Store, alone), stored))

repeatedCreatesOver("SQLite", database)
