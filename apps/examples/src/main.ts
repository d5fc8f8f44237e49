/**
 * Runs a program with a client from the environment.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... node main.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { V4 } from "@webagent/v4"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { program } from "./12_typed-result.ts"

program.pipe(Effect.tap(Console.log), Effect.provide(V4.layer()), NodeRuntime.runMain)
