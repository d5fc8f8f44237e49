import {
  configMap,
  dockerfile,
  imageOf,
  isBaked,
  nameOf,
  type OperatorOptions,
  scriptFile,
  testRun
} from "./TestRun.ts"
import * as Yaml from "./Yaml.ts"

/** A rendered file. */
interface Manifest {
  readonly file: string
  readonly text: string
}

/**
 * Renders everything that k6-operator needs, except for the Secret with the API key: a TestRun, and a ConfigMap or the
 * files of an image.
 *
 * @param options - The load test, its script, the image and the number of pods.
 * @returns The files with their contents.
 * @throws `Error` if the number of pods isn't a whole number from 1.
 * @example
 * ```ts
 * import { render } from "@webagent/load/operator/Manifests"
 * import type { OperatorOptions } from "@webagent/load/operator/TestRun"
 * import { writeFileSync } from "node:fs"
 *
 * export const write = (options: OperatorOptions) => {
 *   for (const { file, text } of render(options)) writeFileSync(file, text)
 * }
 * ```
 */
export const render = (options: OperatorOptions): ReadonlyArray<Manifest> => {
  if (!Number.isInteger(options.parallelism) || options.parallelism < 1) {
    throw new Error(`The number of pods must be a whole number, 1 or more; got ${options.parallelism}.`)
  }
  return [
    { file: "testrun.yaml", text: Yaml.stringify(testRun(options)) },
    ...(isBaked(options)
      ? [
          { file: "Dockerfile", text: dockerfile(options) },
          { file: scriptFile, text: options.script }
        ]
      : [{ file: "configmap.yaml", text: Yaml.stringify(configMap(options)) }])
  ]
}

/**
 * Returns the commands that run the load test from within the folder of its files.
 *
 * @param options - The load test, the image and the number of pods.
 * @returns The commands, one per line.
 * @example
 * ```ts
 * import { commands } from "@webagent/load/operator/Manifests"
 *
 * const options = {
 *   test: "smoke",
 *   script: "export default () => {}",
 *   k6Version: "2.2.0",
 *   parallelism: 4,
 *   variables: { WEBAGENT_BASE_URL: "https://agents.example.com" },
 *   apiKeySecret: { name: "webagent", key: "apiKey" }
 * }
 * console.log(commands(options).join("\n"))
 * ```
 */
export const commands = (options: OperatorOptions): ReadonlyArray<string> => {
  const { apiKeySecret, namespace } = options
  const kubectl = namespace === undefined ? "kubectl" : `kubectl -n ${namespace}`
  return [
    `${kubectl} create secret generic ${apiKeySecret.name} --from-literal=${apiKeySecret.key}=$WEBAGENT_API_KEY`,
    ...(isBaked(options)
      ? [`docker build -t ${imageOf(options)} .`, `docker push ${imageOf(options)}`]
      : // a plain apply keeps a copy of the script in an annotation, which may hold 256 KiB
        [`${kubectl} apply --server-side -f configmap.yaml`]),
    `${kubectl} apply -f testrun.yaml`,
    `${kubectl} get testrun ${nameOf(options)} -w`
  ]
}
