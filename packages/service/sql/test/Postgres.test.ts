import { storeContract } from "@webagent/store-contract"
import * as Layer from "effect/Layer"
import { SqlStore } from "../src/index.ts"
import { startPostgres } from "./postgres.ts"

const { database } = startPostgres()

storeContract("SqlStore over Postgres", Layer.orDie(Layer.provide(SqlStore.layer, database)))
