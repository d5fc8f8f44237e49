import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import { commands, read, root } from "./Workflow.ts"
import { problemsOf } from "./WorkflowRules.ts"

const files = globSync(".github/workflows/*", { cwd: root }).toSorted()
const textOf = (path: string) => readFileSync(join(root, path), "utf8")

describe(".github/workflows", () => {
  it.each(files)("%s has only keys, expressions, commands and files that exist", (file) => {
    assert.deepStrictEqual(problemsOf(textOf(file)), [])
  })

  it("uses one version of each action, and names it", () => {
    const uses = files.flatMap((file) => textOf(file).match(/(?<=uses: )(?!\.\/).+$/gmu) ?? [])
    for (const one of uses) assert.match(one, /^\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u)
    const repository = (one: string) => /^[\w-]+\/[\w-]+/u.exec(one)?.[0]
    const versions = new Set(uses.map((one) => one.replace(/^[^@]+/u, String(repository(one)))))
    assert.strictEqual(versions.size, new Set(uses.map(repository)).size, [...versions].join("\n"))
  })

  it("publishes each image of the Dockerfile under a name that the push script knows", () => {
    const values = { "secrets.NPM_TOKEN": "n", "secrets.GITHUB_TOKEN": "g", "github.repository_owner": "webagent" }
    const pushed = commands(read("release"), values)
      .map(({ run }) => /^sh deploy\/push\.sh (\S+) "\$OWNER"$/u.exec(run)?.[1])
      .filter((target) => target !== undefined)
    const script = textOf("deploy/push.sh")
    const known = Array.from(script.matchAll(/^ {2}(\w+)\) image=/gmu), ([, target]) => target)
    assert.deepStrictEqual(pushed, known)
    for (const target of known) assert.match(textOf("deploy/Dockerfile"), new RegExp(`^FROM \\S+ AS ${target}$`, "mu"))
  })

  it("builds an API server and allows namespaces before a test that may skip nothing", () => {
    const strict = "npm run test:containers -- --strict"
    const jobs = ["check", "containers", "release"].flatMap((name) => Object.values(read(name).jobs))
    const scripts = jobs.map(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []))
    for (const script of scripts.filter((runs) => runs.includes(strict)))
      assert.deepStrictEqual(script, [
        "npm run kubernetes",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        strict
      ])
    assert.lengthOf(
      scripts.flat().filter((run) => run === strict),
      1
    )
    for (const name of ["publish", "images"])
      assert.deepStrictEqual(read("release").jobs[name]?.needs, ["dry", "containers"])
  })

  it("publishes packages with provenance", async () => {
    const registry = createServer(({ url = "" }, response) => {
      // a token that can't be signed with, so that pnpm stops before it needs another server
      const body = url.startsWith("/token") ? { value: "a.e30.b" } : {}
      response.writeHead(url.startsWith("/token") ? 200 : 404).end(JSON.stringify(body))
    }).listen(0, "127.0.0.1")
    await once(registry, "listening")
    const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
    const values = { "secrets.NPM_TOKEN": "n", "secrets.GITHUB_TOKEN": "g", "github.repository_owner": "webagent" }
    const step = commands(read("release"), values).find(({ run }) => run === "npm run publish:packages")
    const machine = { CI: "true", GITHUB_ACTIONS: "true", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "t" }
    const env = { ...process.env, ...machine, ...step?.env, ACTIONS_ID_TOKEN_REQUEST_URL: `${address}/token?` }
    // as Changesets does
    const args = ["publish", "--json", "--access", "public", "--no-git-checks", `--registry=${address}`]
    const pnpm = spawn(join(root, "node_modules/.bin/pnpm"), args, { cwd: join(root, "packages/client/polling"), env })
    const output = await text(pnpm.stdout)
    registry.close()
    assert.include(output, "ERR_PNPM_PROVENANCE_IDENTITY_TOKEN")
  })

  it("pushes images under names in lower case", () => {
    const bin = mkdtempSync(join(tmpdir(), "webagent-push-"))
    writeFileSync(join(bin, "docker"), '#!/bin/sh\necho "$*"\n')
    chmodSync(join(bin, "docker"), 0o755)
    const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` }
    const { stdout } = spawnSync("sh", ["deploy/push.sh", "chromium", "ghcr.io/WebAgent"], { cwd: root, env })
    rmSync(bin, { recursive: true })
    assert.match(String(stdout), / --tag ghcr\.io\/webagent\/webagent-server:\d\S*-chromium /u)
  })

  it("finds what would fail at GitHub", () => {
    const wrong = `
name: wrong
on:
  schedule: [{ cron: "17 3 * *" }]
  workflow_dispatch: { inputs: { publish: { type: boolean } } }
permissions: { contents: read, package: write }
jobs:
  first:
    needs: [second, third]
    if: inputs.publsh && secrets.TOKEN != ''
    runs-on: ubuntu-24.04
    timeout-minute: 5
    strategy: { matrix: { target: [server] } }
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020
        with: { node-versions: 20 }
      - run: npm run no-such-script && node no/such/file.ts || true
      - run: sh deploy/push.sh \${{ matrix.tagret }} "$OWNER"
      - run: echo \${{ github.event.issue.title }}
      - run: curl \${{ steps.later.outputs.url }}
      - id: later
        run: for one in a b; do echo "$one" "$GITHUB_REF"; don
      - run: npx --no-install pnpm --filter no-such-package test
      - if: allways() && secrets.TOKEN != ''
        run: echo
      - name: nothing
  second:
    needs: first
    steps: []
  third-party:
    uses: ./.github/workflows/check.yml
    timeout-minutes: 5
`
    assert.deepStrictEqual(problemsOf(wrong), [
      "no permission is package: write",
      '"17 3 * *" is not a time',
      'first: the key "timeout-minute" is not known',
      "first: there is no job third",
      "first: it waits for itself",
      "first: ${{ inputs.publsh }} does not exist here",
      "first: its condition cannot read secrets",
      "first: step 1: actions/checkout@v4 is not a known action with the hash of a commit",
      'first: step 2: actions/setup-node has no input "node-versions"',
      'first: step 3: package.json has no script "no-such-script"',
      "first: step 3: there is no file no/such/file.ts",
      "first: step 4: ${{ matrix.tagret }} does not exist here",
      "first: step 4: nothing sets $OWNER",
      "first: step 5: ${{ github.event }} does not exist here",
      "first: step 5: ${{ github.event.issue.title }} is part of a script; pass it in env",
      "first: step 6: ${{ steps.later }} does not exist here",
      "first: step 6: ${{ steps.later.outputs.url }} is part of a script; pass it in env",
      'first: step 6: the command "curl" is not known',
      'first: step 7: the command "don" is not known',
      "first: step 7: bash cannot read the script",
      "first: step 8: there is no package no-such-package",
      "first: step 9: there is no function allways",
      "first: step 9: a condition cannot read secrets",
      'first: step 10: the key "name" is not known',
      "first: step 10: a step has either run or uses",
      "second: it has no runs-on",
      "second: it waits for itself",
      'third-party: the key "timeout-minutes" is not known',
      "third-party: ./.github/workflows/check.yml is not a workflow that can be called"
    ])
  })
})
