import { assert, describe, it } from "@effect/vitest"
import { commands, render } from "../../src/operator/Manifests.ts"
import * as Output from "../../src/Output.ts"
import { configMap, imageOf, isBaked, type OperatorOptions, testRun } from "../../src/operator/TestRun.ts"
import * as Yaml from "../../src/operator/Yaml.ts"

const options: OperatorOptions = {
  test: "average-load",
  script: 'export default () => console.log("hi: #1")\n',
  k6Version: "2.2.0",
  parallelism: 4,
  variables: {
    WEBAGENT_BASE_URL: "http://webagent:8080",
    WEBAGENT_API_KEY: "wak_canary",
    WEBAGENT_LOAD_RATE: "20",
    WEBAGENT_LOAD_SUMMARY: "summary.json"
  },
  apiKeySecret: { name: "webagent", key: "api-key" },
  outputs: [Output.prometheus("http://prometheus:9090/api/v1/write")]
}

// the fields of k6-operator v1.6.0 (api/v1alpha1/testrun_types.go), required ones first
const fields = {
  testRun: ["apiVersion", "kind", "metadata", "spec", "status"],
  spec: [
    ["script", "parallelism"],
    ["separate", "arguments", "ports", "initializer", "starter", "runner", "quiet", "paused", "scuttle", "cleanup"],
    ["cloud", "testRunId", "token"]
  ].flat(),
  script: ["volumeClaim", "configMap", "localFile"],
  configMap: ["name", "file"],
  pod: [
    ["disabled", "affinity", "automountServiceAccountToken", "env", "image", "imagePullSecrets", "imagePullPolicy"],
    ["metadata", "nodeSelector", "tolerations", "topologySpreadConstraints", "resources", "serviceAccountName"],
    ["securityContext", "containerSecurityContext", "envFrom", "readinessProbe", "livenessProbe", "initContainers"],
    ["volumes", "volumeMounts", "priorityClassName", "schedulerName"]
  ].flat()
}

const has = (record: object, known: ReadonlyArray<string>) => assert.includeMembers([...known], Object.keys(record))

const large: OperatorOptions = { ...options, script: "/".repeat(1_048_576) }
const baked: OperatorOptions = { ...options, image: "registry.example/load:1" }

describe("the manifests of k6-operator", () => {
  for (const [name, given] of Object.entries({ options, large, baked })) {
    it(`${name}: a TestRun has the documented fields and no others`, () => {
      const manifest = testRun(given)
      has(manifest, fields.testRun)
      has(manifest.spec, fields.spec)
      has(manifest.spec.script, fields.script)
      has(manifest.spec.runner, fields.pod)
      assert.strictEqual(Object.keys(manifest.spec.script).length, 1)
      assert.deepInclude(manifest, { apiVersion: "k6.io/v1alpha1", kind: "TestRun" })
      assert.strictEqual(manifest.spec.parallelism, 4)
      assert.match(nameIn(manifest), /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u)
    })
  }

  it("pass a dollar sign to the script as it is, and not as a variable of the pod", () => {
    const task = "Pay $$5 to $(HOSTNAME), or $"
    const { env } = testRun({ ...options, variables: { WEBAGENT_LOAD_TASK: task } }).spec.runner
    const told = env.find((variable) => "name" in Object(variable) && Object(variable).name === "WEBAGENT_LOAD_TASK")
    // what a kubelet makes of it
    const expanded = String(Object(told).value).replaceAll(
      /\$(?:(\$)|\((\w+)\))/gu,
      (_, dollar, name) => dollar ?? `value of ${name}`
    )
    assert.strictEqual(expanded, task)
  })

  it("make a ConfigMap of a small script, and name its file in the TestRun", () => {
    const { runner, script } = testRun(options).spec
    const { data, kind, metadata } = configMap(options)
    assert.strictEqual(kind, "ConfigMap")
    assert.deepStrictEqual(script, { configMap: { name: "webagent-load-average-load", file: "load.js" } })
    has(script.configMap ?? {}, fields.configMap)
    assert.deepStrictEqual(metadata, { name: "webagent-load-average-load", namespace: undefined })
    assert.deepStrictEqual(data, { "load.js": options.script })
    assert.strictEqual(runner.image, "grafana/k6:2.2.0")
    assert.deepStrictEqual(
      render(options).map(({ file }) => file),
      ["testrun.yaml", "configmap.yaml"]
    )
  })

  it("bake a script into an image if it's too large for a ConfigMap, or if an image is set", () => {
    assert.deepStrictEqual([isBaked(options), isBaked(large), isBaked(baked)], [false, true, true])
    // with its file's name, one byte over and just within
    const room = 1_048_576 - "load.js".length
    assert.isTrue(isBaked({ ...options, script: "/".repeat(room + 1) }))
    assert.isFalse(isBaked({ ...options, script: "/".repeat(room) }))
    assert.deepStrictEqual(testRun(baked).spec.script, { localFile: "/test/load.js" })
    assert.deepStrictEqual(
      [imageOf(large), imageOf(baked)],
      ["webagent-load-average-load:latest", "registry.example/load:1"]
    )
    const [, dockerfile, script] = render(baked)
    assert.strictEqual(dockerfile?.text, "FROM grafana/k6:2.2.0\nCOPY load.js /test/load.js\n")
    assert.deepStrictEqual(script, { file: "load.js", text: options.script })
  })

  it("read the key from a Secret, and contain neither the key nor a summary file", () => {
    const { env } = testRun(options).spec.runner
    assert.deepStrictEqual(env[0], {
      name: "WEBAGENT_API_KEY",
      valueFrom: { secretKeyRef: { name: "webagent", key: "api-key" } }
    })
    const all = [...render(options), ...render(baked)].map(({ text }) => text).join() + commands(options).join()
    assert.notInclude(all, "wak_canary")
    assert.notInclude(all, "WEBAGENT_LOAD_SUMMARY")
  })

  it("turn outputs into flags and variables", () => {
    const both = { ...options, outputs: [...(options.outputs ?? []), Output.otlp("http://collector:4318")] }
    const { arguments: args, runner } = testRun(both).spec
    assert.strictEqual(args, "--out experimental-prometheus-rw --out opentelemetry")
    const env = Object.fromEntries(
      runner.env.flatMap((entry) =>
        typeof entry === "object" && "value" in entry ? [[entry["name"], entry["value"]]] : []
      )
    )
    assert.deepInclude(env, {
      WEBAGENT_LOAD_RATE: "20",
      K6_NO_USAGE_REPORT: "true",
      K6_INCLUDE_SYSTEM_ENV_VARS: "true",
      K6_PROMETHEUS_RW_SERVER_URL: "http://prometheus:9090/api/v1/write",
      K6_OTEL_HTTP_EXPORTER_ENDPOINT: "collector:4318",
      K6_OTEL_HTTP_EXPORTER_INSECURE: "true"
    })
    assert.isTrue(Object.values(env).every((value) => typeof value === "string"))
  })

  it("send OTLP to the path of its address, if it has one", () => {
    const path = (url: string) => Output.otlp(url).variables["K6_OTEL_HTTP_EXPORTER_URL_PATH"]
    assert.deepStrictEqual(
      [path("http://c:4318"), path("https://gateway/otlp/v1/metrics")],
      [undefined, "/otlp/v1/metrics"]
    )
  })

  it("list the commands that run the load test", () => {
    assert.deepStrictEqual(commands({ ...options, namespace: "load" }), [
      "kubectl -n load create secret generic webagent --from-literal=api-key=$WEBAGENT_API_KEY",
      "kubectl -n load apply --server-side -f configmap.yaml",
      "kubectl -n load apply -f testrun.yaml",
      "kubectl -n load get testrun webagent-load-average-load -w"
    ])
    assert.include(commands(baked), "docker build -t registry.example/load:1 .")
  })

  it("refuse zero pods", () => {
    assert.throws(
      () => render({ ...options, parallelism: 0 }),
      /^The number of pods must be a whole number, 1 or more; got 0\.$/u
    )
  })

  it("are YAML", () => {
    assert.strictEqual(
      Yaml.stringify({ a: "yes: #no\n", b: [{ c: 1, d: undefined, e: { f: true } }, "x"], g: { h: "1" } }),
      'a: "yes: #no\\n"\nb:\n  - c: 1\n    e:\n      f: true\n  - "x"\ng:\n  h: "1"\n'
    )
    assert.include(
      render(options)[0]?.text ?? "",
      '\nspec:\n  parallelism: 4\n  script:\n    configMap:\n      name: "webagent-'
    )
  })
})

function nameIn({ metadata }: ReturnType<typeof testRun>): string {
  return typeof metadata === "object" && "name" in metadata ? String(metadata["name"]) : ""
}
