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
 * Everything that k6-operator needs but the Secret with the key: a TestRun, and a ConfigMap or what makes an image.
 *
 * @param options - The load test, the image and the number of pods.
 * @returns The files with their contents.
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
 * The commands that run the load test, from within the folder of its files.
 *
 * @param options - The load test, the image and the number of pods.
 * @returns The commands, one per line.
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
