import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { stageOf } from "../install.mjs"
import { root } from "./Workflow.ts"

// a workspace with one dependency, a home without any cache, and a registry that has no package
const place = mkdtempSync(join(tmpdir(), "webagent-install-"))
const servers: Array<Server> = []

const portOf = async (server: Server) => {
  servers.push(server)
  await once(server.listen(0, "127.0.0.1"), "listening")
  return (server.address() as AddressInfo).port
}

/** A registry with a certificate of its own, which answers nothing. */
const strange = () => {
  const [key, cert] = [join(place, "key.pem"), join(place, "cert.pem")]
  const request = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1"
  execFileSync("openssl", [...request.split(" "), "-keyout", key, "-out", cert], { stdio: "pipe" })
  return createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) })
}

const install = async (env: Readonly<Record<string, string>>) => {
  const home = mkdtempSync(join(place, "home-"))
  const child = spawn(process.execPath, ["tools/workspace/install.mjs", "all"], {
    cwd: join(place, "tree"),
    env: { PATH: process.env["PATH"] ?? "", HOME: home, npm_config_globalconfig: join(home, "none"), ...env }
  })
  let printed = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text))
  const [status] = await once(child, "close")
  // how often it says how far it is depends on how slow the machine is
  const lines = printed.trim().split("\n")
  return { status, lines: lines.filter((line) => !/^ {2}\d+ s: /u.test(line)) }
}

beforeAll(() => {
  const tree = join(place, "tree")
  mkdirSync(join(tree, "tools"), { recursive: true })
  cpSync(join(root, "tools/workspace/install.mjs"), join(tree, "tools/workspace/install.mjs"))
  const { packageManager }: { readonly packageManager: string } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8")
  )
  writeFileSync(join(tree, "package.json"), JSON.stringify({ name: "tree", private: true, packageManager }))
  writeFileSync(join(tree, "pnpm-workspace.yaml"), "packages: []\npmOnFail: ignore\n")
  writeFileSync(join(tree, "pnpm-lock.yaml"), "lockfileVersion: '9.0'\n")
})

afterAll(() => {
  for (const server of servers) server.close()
  rmSync(place, { recursive: true })
})

describe("an install", () => {
  it("has optional packages and pnpm's own layout, whatever the user's settings", async () => {
    const bin = join(place, "bin")
    mkdirSync(bin)
    // no user's npm: its environment is what is looked at
    writeFileSync(join(bin, "npx"), "#!/bin/sh\nenv >&2\nexit 1\n", { mode: 0o755 })
    await install({
      PATH: `${bin}:${process.env["PATH"]}`,
      npm_config_omit: "optional",
      NPM_CONFIG_INCLUDE: "dev",
      pnpm_config_optional: "false",
      PNPM_CONFIG_NODE_LINKER: "hoisted"
    })
    const settings = /^p?npm_config_(?:include|node_linker|optional)=.*$/gimu
    assert.sameMembers(
      readFileSync(join(place, "tree/node_modules/.webagent-install.log"), "utf8").match(settings) ?? [],
      ["npm_config_include=optional", "pnpm_config_node_linker=isolated", "pnpm_config_optional=true"]
    )
  })
})

describe("an install over another package manager's packages", () => {
  it.each(["ERR_PNPM_UNEXPECTED_STORE", "ERR_PNPM_UNEXPECTED_VIRTUAL_STORE"])("gives advice after %s", async (code) => {
    const bin = mkdtempSync(join(place, "bin-"))
    const text = `[${code}] Unexpected location`
    writeFileSync(join(bin, "npx"), `#!/bin/sh\necho "${text}"\nexit 1\n`, { mode: 0o755 })
    const { lines, status } = await install({ PATH: `${bin}:${process.env["PATH"]}` })
    assert.strictEqual(status, 1)
    assert.include(lines.at(-1), `(${code}); delete the folder node_modules and run the command again`)
  })
})

describe("an install that the registry prevents", () => {
  it("names a registry that refuses connections", async () => {
    // a system hands this port out to no program
    const registry = "http://127.0.0.1:2"
    const { lines, status } = await install({ npm_config_registry: registry })
    assert.deepStrictEqual(lines, [
      "installing everything ...",
      `Cannot install the dependencies: ${registry} cannot be reached (ECONNREFUSED); check the network, HTTPS_PROXY and npm's registry setting (log: node_modules/.webagent-install.log).`
    ])
    assert.strictEqual(status, 1)
  })

  it("names a registry that never answers", async () => {
    const registry = `http://127.0.0.1:${await portOf(createServer(() => {}))}`
    const { lines, status } = await install({ npm_config_registry: registry, npm_config_fetch_timeout: "1000" })
    assert.match(
      lines.at(-1) ?? "",
      /^Cannot install .+127\.0\.0\.1:\d+ did not answer in time \(\S+\); check .+\)\.$/u
    )
    assert.deepStrictEqual([status, lines.length], [1, 2])
  })

  it("names NODE_EXTRA_CA_CERTS when the certificate is not trusted", async () => {
    const registry = `https://127.0.0.1:${await portOf(strange())}`
    const { lines, status } = await install({ npm_config_registry: registry })
    assert.match(
      lines.at(-1) ?? "",
      /^Cannot install .+the certificate of \S+ is not trusted \(\w+\); set NODE_EXTRA_CA_CERTS to .+\)\.$/u
    )
    assert.deepStrictEqual([status, lines.length], [1, 2])
  })
})

describe("an install's stage", () => {
  it("is pnpm's current action, even while it prints nothing", () => {
    const verified =
      "Scope: 27 of 42 workspace projects\n? Verifying lockfile against supply-chain policies (409 entries)...\n"
    const fetching = `${verified}✓ Lockfile passes\nLockfile is up to date, resolution step is skipped\n`
    const progress = `${fetching}Progress: resolved 44, reused 0, downloaded 1, added 0\n`
    assert.deepStrictEqual(
      ["", verified, fetching, progress, `${progress}Downloading effect@4.1.0: 0.00 B/10 MB\n`].map(stageOf),
      [
        undefined,
        "checking the lockfile",
        "fetching packages",
        "Progress: resolved 44, reused 0, downloaded 1, added 0",
        "Downloading effect@4.1.0: 0.00 B/10 MB"
      ]
    )
  })
})
