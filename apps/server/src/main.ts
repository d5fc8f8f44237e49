#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { version } from "@webagent/simulation"
import * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { backup, keys, migrate, prune } from "./database.ts"
import { layerPresenter, UserError, report } from "./UserError.ts"
import { serve } from "./serve.ts"
import { layerConfigFile } from "./settings.ts"

serve.pipe(
  Command.withSubcommands([keys, migrate, backup, prune]),
  Command.run({ version }),
  Effect.provide(layerConfigFile(process.argv.slice(2))),
  Effect.catchTags({
    // the presenter has said what is wrong
    ShowHelp: ({ errors }) => (errors.length === 0 ? Effect.void : Effect.fail(new UserError({ sentence: "" }))),
    "webagent/UserError": report
  }),
  Effect.provide(Layer.merge(NodeServices.layer, layerPresenter)),
  NodeRuntime.runMain({
    // Ctrl-C is how a server ends
    teardown: (exit, onExit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
  })
)
