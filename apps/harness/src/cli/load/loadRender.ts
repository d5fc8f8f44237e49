import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as K6 from "../../load/K6.ts"
import * as LoadScript from "../../load/LoadScript.ts"
import * as LoadSettings from "../../load/LoadSettings.ts"
import * as Manifests from "../../load/operator/Manifests.ts"
import type { Output } from "../../load/operator/Outputs.ts"
import type { OperatorOptions } from "../../load/operator/TestRun.ts"
import { usage } from "@webagent/report/UserError"
import { describePlatformError } from "@webagent/report/PlatformErrorText"
import * as LoadOptions from "./LoadOptions.ts"
import { program } from "../Program.ts"
import { terminal } from "../Terminal.ts"
import { isWebAddress } from "../Parsers.ts"

/** What the flags and arguments of `load --render k6-operator` say. */
export interface LoadRenderOptions extends LoadOptions.LoadOptions {
  /** The service as the cluster reaches it. */
  readonly target: string
  /** How many pods share the load. */
  readonly segments: number
  readonly outputs: ReadonlyArray<Output>
  /** The image that the script is baked into; without one a script that is small enough becomes a ConfigMap. */
  readonly image: string | undefined
  /** Where the files go. */
  readonly folder: string | undefined
}

const headerVariable = "WEBAGENT_API_KEY_HEADER"

const secret = { name: "webagent-load", key: "api-key" }

/** Writes what k6-operator needs for a load test, and says how it is run; nothing is sent anywhere. */
export const loadRender = Effect.fnUntraced(function* (options: LoadRenderOptions) {
  const { folder, image, outputs, segments, target } = options
  const example = `${program} load ${options.test} --render k6-operator --target http://your.service --out load`
  if (!isWebAddress(target)) {
    return yield* usage(`--render needs --target URL, the service as the cluster reaches it: ${example}`)
  }
  if (folder === undefined) return yield* usage(`--render needs --out DIR, where its files go: ${example}`)
  // what stands in front of a command's other words is a flag to it
  if (image !== undefined && !/^\w[\w./:@-]*$/u.test(image)) {
    return yield* usage(`--image is the name of an image, such as registry.example/load:1, not "${image}".`)
  }
  const plan = yield* LoadOptions.planOf(options)
  const settings = yield* LoadOptions.settingsOf(options)
  const header = yield* Effect.orElseSucceed(Config.String(headerVariable), () => undefined)
  const fs = yield* FileSystem.FileSystem
  // a cluster runs stock k6, which resolves no imports
  const script = yield* LoadScript.resolve(plan.test.name, { path: "", version: K6.pinned, readsTypeScript: false })
  const readTheScript = Effect.mapError(fs.readFileString(script), (error) =>
    usage(`The load test cannot be read: ${describePlatformError(error)}.`)
  )
  const rendered: OperatorOptions = {
    test: plan.test.name,
    script: yield* readTheScript,
    k6Version: K6.pinned,
    parallelism: segments,
    variables: {
      ...LoadSettings.told(plan, settings, target),
      ...(header === undefined ? {} : { [headerVariable]: header })
    },
    apiKeySecret: secret,
    outputs,
    image
  }
  const manifests = Manifests.render(rendered)
  const write = Effect.gen(function* () {
    yield* fs.makeDirectory(folder, { recursive: true })
    for (const { file, text } of manifests) yield* fs.writeFileString(join(folder, file), text)
  })
  yield* Effect.mapError(write, (error) => usage(`The manifests cannot be written: ${describePlatformError(error)}.`))
  const { style, write: print } = yield* terminal
  yield* print(
    [
      style.strong(`${manifests.map(({ file }) => file).join(", ")} in ${folder}`),
      `worst case: a run of it will ${LoadOptions.most(plan, settings, { segments })} at ${target}`,
      "",
      `run it, in ${folder}:`,
      ...Manifests.commands(rendered).map((command) => `  ${command}`),
      ""
    ].join("\n")
  )
}, Effect.scoped)
