import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { root } from "./Workflow.ts"

// a workspace of one package whose only task prints its environment, with the turbo.json of this one
const place = mkdtempSync(join(tmpdir(), "webagent-environment-"))

const given = {
  NODE_EXTRA_CA_CERTS: "/company.pem",
  NODE_USE_SYSTEM_CA: "1",
  NODE_USE_ENV_PROXY: "1",
  SSL_CERT_FILE: "/company.pem",
  SSL_CERT_DIR: "/company",
  HTTP_PROXY: "http://proxy.example",
  HTTPS_PROXY: "http://proxy.example",
  ALL_PROXY: "http://proxy.example",
  NO_PROXY: "intranet.example",
  http_proxy: "http://proxy.example",
  https_proxy: "http://proxy.example",
  all_proxy: "http://proxy.example",
  no_proxy: "intranet.example",
  npm_config_registry: "http://registry.example",
  NPM_CONFIG_CAFILE: "/company.pem",
  pnpm_config_registry: "http://registry.example",
  GOPROXY: "http://go.example",
  GOFLAGS: "-mod=readonly",
  GONOSUMDB: "*",
  XDG_CACHE_HOME: "/caches"
}

beforeAll(() => {
  cpSync(join(root, "turbo.json"), join(place, "turbo.json"))
  mkdirSync(join(place, "packages/one"), { recursive: true })
  const manifest = { name: "tree", version: "0.0.0", private: true, packageManager: "pnpm@12.21.0" }
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest))
  writeFileSync(
    join(place, "pnpm-workspace.yaml"),
    "packages: [packages/*]\npmOnFail: ignore\nverifyDepsBeforeRun: false\n"
  )
  const print = `node -e "fs.writeFileSync('environment.json', JSON.stringify(process.env))"`
  writeFileSync(
    join(place, "packages/one/package.json"),
    JSON.stringify({ name: "one", scripts: { "test:unit": print } })
  )
})

afterAll(() => rmSync(place, { recursive: true }))

describe("a task's environment", () => {
  it("includes the machine's settings of certificates, proxies, npm and Go", () => {
    const { status, stderr, stdout } = spawnSync(
      join(root, "node_modules/.bin/turbo"),
      ["run", "test:unit", "--force"],
      {
        cwd: place,
        encoding: "utf8",
        env: { ...process.env, ...given, TURBO_TELEMETRY_DISABLED: "1" }
      }
    )
    assert.strictEqual(status, 0, `${stdout}${stderr}`)
    const seen: Record<string, string> = JSON.parse(readFileSync(join(place, "packages/one/environment.json"), "utf8"))
    assert.deepStrictEqual(Object.fromEntries(Object.keys(given).map((name) => [name, seen[name]])), given)
  })
})
