import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { commands, read, root } from "./Workflow.ts"
import { problemsOf } from "./WorkflowRules.ts"

const files = globSync(".github/workflows/*", { cwd: root }).toSorted()
const text = (path: string) => readFileSync(join(root, path), "utf8")

describe(".github/workflows", () => {
  it.each(files)("%s has only keys, expressions, commands and files that exist", (file) => {
    assert.deepStrictEqual(problemsOf(text(file)), [])
  })

  it("uses one version of each action, and names it", () => {
    const uses = files.flatMap((file) => text(file).match(/(?<=uses: ).+$/gmu) ?? [])
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
    const script = text("deploy/push.sh")
    const known = Array.from(script.matchAll(/^ {2}(\w+)\) image=/gmu), ([, target]) => target)
    assert.deepStrictEqual(pushed, known)
    for (const target of known) assert.match(text("deploy/Dockerfile"), new RegExp(`^FROM \\S+ AS ${target}$`, "mu"))
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
      "second: it waits for itself"
    ])
  })
})
