// A server that is one node of several over a file, in a process of its own.
import { Server } from "@webagent/server"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer } from "./node.ts"

const [file = "", name = ""] = process.argv.slice(2)

const told = Layer.effectDiscard(
  Effect.flatMap(Server, ({ address }) => Effect.andThen(Console.log(`address ${address}`), Console.log("key K")))
)

await Effect.runPromise(Layer.launch(Layer.provide(told, layer(file, name))))
