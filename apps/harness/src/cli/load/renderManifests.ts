import * as K6 from "@webagent/load/K6"
import { publicVariables } from "@webagent/load/LoadPlan"
import * as LoadScript from "@webagent/load/LoadScript"
import * as Manifests from "@webagent/load/operator/Manifests"
import type { OperatorOptions } from "@webagent/load/operator/TestRun"
import * as Folder from "@webagent/cli/Folder"
import { usage, usageOf } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import { program } from "../Program.ts"
import { terminal, variable } from "@webagent/cli/Terminal"
import { isWebAddress } from "../../config/Values.ts"
import type * as LoadFlags from "./LoadFlags.ts"
import * as LoadOptions from "./LoadOptions.ts"

const headerVariable = "WEBAGENT_API_KEY_HEADER"

const secret = { name: "webagent-load", key: "api-key" }

/** Writes the manifests of a load test for k6-operator, and prints the commands that run it; sends nothing. */
export const renderManifests = Effect.fnUntraced(function* (options: LoadFlags.RenderOptions) {
  const { folder, image, outputs, segments, target } = options
  if (target === undefined || !isWebAddress(target)) {
    const example = `${program} load render ${options.test} ${folder} --target http://your.service`
    return yield* usage(`load render needs --target URL, the address of the service from the cluster: ${example}`)
  }
  // the name becomes an argument of commands
  if (image !== undefined && !/^\w[\w./:@-]*$/u.test(image)) {
    return yield* usage(`--image must be the name of an image, such as registry.example/load:1; got "${image}".`)
  }
  const plan = yield* LoadOptions.planOf(options.test, options)
  const settings = yield* LoadOptions.settingsOf(options, options.thresholds)
  const header = options.apiKeyHeader ?? (yield* variable(headerVariable))
  const fs = yield* FileSystem.FileSystem
  // a cluster runs stock k6, which resolves no imports
  const script = yield* LoadScript.resolve({ path: "", version: K6.pinned, readsTypeScript: false })
  const readTheScript = Effect.mapError(fs.readFileString(script), usageOf("Cannot read the load test"))
  const rendered: OperatorOptions = {
    test: plan.test.name,
    script: yield* readTheScript,
    k6Version: K6.pinned,
    parallelism: segments,
    variables: {
      ...publicVariables(plan, settings, target),
      ...(header === undefined ? {} : { [headerVariable]: header })
    },
    apiKeySecret: secret,
    outputs,
    image
  }
  const manifests = Manifests.render(rendered)
  const write = Effect.gen(function* () {
    yield* Folder.make(folder)
    for (const { file, text } of manifests) yield* fs.writeFileString(join(folder, file), text)
  })
  yield* Effect.mapError(write, usageOf("Cannot write the manifests"))
  const { style, write: print } = yield* terminal
  yield* print(
    [
      style.strong(`${manifests.map(({ file }) => file).join(", ")} in ${folder}`),
      `at most, a run will ${LoadOptions.most(plan, settings, { segments })} at ${target}`,
      "",
      `To run it, in ${folder}:`,
      ...Manifests.commands(rendered).map((command) => `  ${command}`),
      ""
    ].join("\n")
  )
}, Effect.scoped)
