import type { Output } from "../Output.ts"
import type { Node } from "./Yaml.ts"

/** A load test as k6-operator is to run it. */
export interface OperatorOptions {
  /** The load test's name: `smoke`. */
  readonly test: string
  /** The script as one file that any k6 runs; see `LoadScript`. */
  readonly script: string
  /** The k6 that runs it: `2.2.0`. */
  readonly k6Version: string
  /** Number of pods that share the load. */
  readonly parallelism: number
  /** The variables of the script, without the API key. */
  readonly variables: Readonly<Record<string, string>>
  /** The Secret that holds the API key; it is not rendered. */
  readonly apiKeySecret: { readonly name: string; readonly key: string }
  readonly namespace?: string | undefined
  /** The image that the script is baked into; without one, a script that is small enough becomes a ConfigMap. */
  readonly image?: string | undefined
  readonly outputs?: ReadonlyArray<Output>
}

// what Kubernetes takes for all data of a ConfigMap
const configMapLimit_bytes = 1_048_576

/**
 * Returns the name of every rendered resource.
 *
 * @param options - The load test.
 * @returns A name that Kubernetes accepts.
 * @example
 * ```ts
 * import { nameOf, type OperatorOptions } from "@webagent/load/operator/TestRun"
 *
 * export const remove = (options: OperatorOptions) => `kubectl delete testrun ${nameOf(options)}`
 * ```
 */
export const nameOf = ({ test }: OperatorOptions): string => `webagent-load-${test}`

/** The file that holds the script. */
export const scriptFile = "load.js"

/**
 * Returns whether the script is part of an image: if you name one, or if the script is too large for a ConfigMap (1
 * MiB).
 *
 * @param options - The load test and its image.
 * @returns True if no ConfigMap is needed.
 * @example
 * ```ts
 * import { isBaked, type OperatorOptions } from "@webagent/load/operator/TestRun"
 *
 * export const needsRegistry = (options: OperatorOptions) => isBaked({ ...options, image: undefined })
 * ```
 */
export const isBaked = (options: OperatorOptions): boolean =>
  options.image !== undefined ||
  Buffer.byteLength(options.script) + Buffer.byteLength(scriptFile) > configMapLimit_bytes

/**
 * Returns the image that the pods run: the official k6, or one with the script in it.
 *
 * @param options - The load test and its image.
 * @returns The name of the image with its tag.
 * @example
 * ```ts
 * import { imageOf, type OperatorOptions } from "@webagent/load/operator/TestRun"
 *
 * export const pull = (options: OperatorOptions) => `docker pull ${imageOf(options)}`
 * ```
 */
export const imageOf = (options: OperatorOptions): string =>
  options.image ?? (isBaked(options) ? `${nameOf(options)}:latest` : `grafana/k6:${options.k6Version}`)

const metadata = (options: OperatorOptions): Node => ({ name: nameOf(options), namespace: options.namespace })

// Kubernetes puts the value of a variable in the place of $(NAME), and $ in that of $$
const literal = (text: string) => text.replaceAll("$", "$$$$")

const environment = ({ apiKeySecret, outputs = [], variables }: OperatorOptions): ReadonlyArray<Node> => {
  const all = {
    K6_NO_USAGE_REPORT: "true",
    K6_AUTO_EXTENSION_RESOLUTION: "false",
    // the operator's initializer archives and inspects the script, where k6 hides these variables from it unless told
    K6_INCLUDE_SYSTEM_ENV_VARS: "true",
    ...variables,
    ...Object.fromEntries(outputs.flatMap((output) => Object.entries(output.variables)))
  }
  return [
    { name: "WEBAGENT_API_KEY", valueFrom: { secretKeyRef: { ...apiKeySecret } } },
    ...Object.entries(all)
      .filter(([name]) => name !== "WEBAGENT_API_KEY" && name !== "WEBAGENT_LOAD_SUMMARY")
      .map(([name, value]) => ({ name, value: literal(value) }))
  ]
}

/**
 * Makes the TestRun (`k6.io/v1alpha1`), which gives each of `parallelism` pods a share of the load. They begin
 * together.
 *
 * @param options - The load test, its image and the number of pods.
 * @returns The manifest.
 * @example
 * ```ts
 * import { type OperatorOptions, testRun } from "@webagent/load/operator/TestRun"
 *
 * export const pods = (options: OperatorOptions) => testRun(options).spec.parallelism
 * ```
 */
export const testRun = (options: OperatorOptions) => {
  const { outputs = [], parallelism } = options
  return {
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    metadata: metadata(options),
    spec: {
      parallelism,
      script: isBaked(options)
        ? { localFile: `/test/${scriptFile}` }
        : { configMap: { name: nameOf(options), file: scriptFile } },
      arguments: outputs.map(({ flag }) => `--out ${flag}`).join(" "),
      runner: { image: imageOf(options), env: environment(options) }
    }
  } satisfies Node
}

/**
 * Makes the ConfigMap of a script that isn't part of an image.
 *
 * @param options - The load test.
 * @returns The manifest.
 * @example
 * ```ts
 * import { configMap, type OperatorOptions } from "@webagent/load/operator/TestRun"
 *
 * export const json = (options: OperatorOptions) => JSON.stringify(configMap(options))
 * ```
 */
export const configMap = (options: OperatorOptions) =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadata(options),
    data: { [scriptFile]: options.script }
  }) satisfies Node

/**
 * Makes the Dockerfile of an image with the script. It starts from the official k6, which has the shell that the
 * operator's initializer needs.
 *
 * @param options - The load test and its image.
 * @returns The content of the Dockerfile.
 * @example
 * ```ts
 * import { dockerfile, type OperatorOptions } from "@webagent/load/operator/TestRun"
 * import { writeFileSync } from "node:fs"
 *
 * export const write = (options: OperatorOptions) => writeFileSync("Dockerfile", dockerfile(options))
 * ```
 */
export const dockerfile = (options: OperatorOptions): string =>
  [`FROM grafana/k6:${options.k6Version}`, `COPY ${scriptFile} /test/${scriptFile}`, ""].join("\n")
