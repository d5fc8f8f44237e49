import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as K6 from "@webagent/load/K6"
import { call } from "../inProcess.ts"
import { key, stage } from "./stage.ts"

const { newFolder } = stage()

describe.concurrent("load render", () => {
  it("writes the manifests of a cluster with the same settings and without a key, and prints how to use them", async () => {
    const directory = newFolder()
    const load = ["--rate", "30", "--mix", "runs=1", "--segments", "4"]
    const where = ["--target", "https://agents.example.com", "--out", "prometheus=http://p/api/v1/write"]
    const env = { WEBAGENT_API_KEY: key, WEBAGENT_API_KEY_HEADER: "X-Key", PATH: "" }
    const { code, stderr, stdout } = await call(["load", "render", "spike", directory, ...load, ...where], env)
    assert.deepStrictEqual([code, stderr], [0, ""])
    const manifest = readFileSync(join(directory, "testrun.yaml"), "utf8")
    assert.include(manifest, "parallelism: 4\n")
    assert.match(manifest, /name: "WEBAGENT_LOAD_RATE"\n\s+value: "30"\n/u)
    assert.match(manifest, /name: "WEBAGENT_BASE_URL"\n\s+value: "https:\/\/agents\.example\.com"\n/u)
    assert.match(manifest, /name: "WEBAGENT_API_KEY_HEADER"\n\s+value: "X-Key"\n/u)
    assert.include(manifest, "experimental-prometheus-rw")
    assert.include(readFileSync(join(directory, "configmap.yaml"), "utf8"), "load.js")
    assert.notInclude(manifest + stdout, key)
    assert.match(stdout, /^at most, a run will send up to 68,\d+ requests .* at https:\/\/agents\.example\.com$/mu)
    assert.include(stdout, "  kubectl apply -f testrun.yaml\n")
  })

  it("puts the script into a named image", async () => {
    const directory = newFolder()
    const where = [directory, "--target", "http://a.example", "--image", "registry.example/load:1"]
    const { code, stderr, stdout } = await call(["load", "render", "smoke", ...where], { PATH: "" })
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(readFileSync(join(directory, "testrun.yaml"), "utf8"), 'image: "registry.example/load:1"\n')
    assert.include(readFileSync(join(directory, "Dockerfile"), "utf8"), "COPY load.js ")
    assert.isTrue(existsSync(join(directory, "load.js")))
    assert.include(stdout, "  docker build -t registry.example/load:1 .\n")
  })

  it("uses the k6 version of our extension", () => {
    const manifest = readFileSync(new URL("../../../../../tools/k6/go.mod", import.meta.url), "utf8")
    assert.include(manifest, `go.k6.io/k6/v2 v${K6.pinned}\n`)
  })

  for (const [what, args, sentence] of [
    ["no address", ["load"], /^load render needs --target URL, the address of the service from the cluster: npm run /u],
    [
      "an address without http",
      ["load", "--target", "localhost:4400"],
      /^load render needs --target URL, the address of the service from the cluster: npm run /u
    ],
    [
      "no folder",
      ["--target", "http://a.example"],
      /^Missing required argument: folder\. See: .* load render --help\n$/u
    ],
    [
      "an image without a name",
      ["load", "--target", "http://a.example", "--image", ""],
      /^--image must be the name of an image, such as registry\.example\/load:1; got ""\.\n$/u
    ]
  ] as const) {
    it(`${what}: one sentence and exit code 2`, async () => {
      const { code, stderr } = await call(["load", "render", "smoke", ...args])
      assert.match(stderr, sentence)
      assert.strictEqual(code, 2)
    })
  }
})
