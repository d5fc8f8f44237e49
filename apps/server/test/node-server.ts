// A server that is one node of several over a file, which servers otherwise have to themselves.
import { Server } from "@webagent/server"
import { Retention } from "@webagent/sql"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dataOf } from "../src/data.ts"
import * as Durable from "../src/durable.ts"

const [file = "", node = ""] = process.argv.slice(2)

const told = Layer.effectDiscard(
  Effect.flatMap(Server, ({ address }) => Effect.andThen(Console.log(`address ${address}`), Console.log("key K")))
)

await Effect.runPromise(
  Layer.launch(
    Layer.provide(
      told,
      Durable.layer(
        {
          data: dataOf(file),
          node,
          shared: { lost: Effect.void },
          durable: "normal",
          host: "127.0.0.1",
          port: 0,
          allowedHosts: undefined,
          apiKeys: ["K"],
          seed: 1,
          drainWithin: Duration.zero,
          retention: Retention.defaultPolicy,
          browsers: "simulated",
          chromium: { isolation: "none", folder: file, egress: {} }
        },
        Effect.void
      )
    )
  )
)
