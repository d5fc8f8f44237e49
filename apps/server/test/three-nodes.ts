// Three nodes on one Postgres behind a proxy that sends each request to the next of them, until Ctrl-C.
import { TestPostgres } from "@webagent/test-postgres"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { threeNodes } from "./node.ts"

NodeRuntime.runMain(
  threeNodes.pipe(
    Effect.flatMap((address) => Console.log(`address ${address}\nkey     K`)),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide(TestPostgres.layer)
  )
)
