#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { teardown } from "@webagent/cli/CommandLine"
import * as Effect from "effect/Effect"
import { commandLine } from "./commandLine.ts"

commandLine.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain({ disableErrorReporting: true, teardown }))
