import { nightlySetting } from "@webagent/nights/NightlySetting"
import { join } from "node:path"
import { fileNames } from "../../config/Project.ts"
import type { Surroundings } from "./Surroundings.ts"

/** A file to write, if none of its names is taken. */
interface NewFile {
  readonly path: string
  readonly text: string
  /** Other files that would take its place. */
  readonly taken?: ReadonlyArray<string>
}

/** A file that gets more, and what that is. */
interface Addition {
  readonly path: string
  readonly text: string
  readonly what: string
}

const config = (suites: string) => `import { defineConfig } from "webagent-harness"

export default defineConfig({
  suites: "${suites}",
  // run with: --target staging; the key is in the variable that apiKeyEnv names
  targets: {
    staging: { url: "https://your.service", apiKeyEnv: "WEBAGENT_API_KEY" }
  },
  // how often run --record repeats scenarios: measured to find regressions with few false alarms
  nightly: { trials: ${nightlySetting.trials}, extraTrials: ${nightlySetting.confirm} }
})
`

const suite = `import { scenario, Suite } from "@webagent/scenario/promise"

export default Suite.make("first", [
  scenario("a run completes with its result", { needs: ["money"] }, async ({ check, simulate, v4 }) => {
    // a simulated agent follows this; a real one reads it as part of the task
    const task = simulate("Say hello", { output: "hello" })
    const run = await v4.runs.createAndWait({ task })
    check.equal(run.status, "completed", "the run's status")
    check.match(run.result, /hello/i, "the run's result")
  })
])
`

// run --record uses the measured setting, and paid scenarios keep the trials that they declare
const nightly = "run --record --report-dir report"

const scripts = { harness: "webagent-harness", "harness:nightly": `webagent-harness ${nightly}` } as const

const github = ({ below, isLocked, manager }: Surroundings) => {
  const here = below === "" ? "" : `    defaults:\n      run:\n        working-directory: ${below}\n`
  const path = (name: string) => (below === "" ? name : `${below}/${name}`)
  const corepack = manager.name === "npm" || manager.name === "bun" ? "" : "      - run: corepack enable\n"
  const bun = manager.name === "bun" ? "      - uses: oven-sh/setup-bun@v2\n" : ""
  const history = `        with:
          path: ${path(".webagent/history.ndjson")}
          key: webagent-history-\${{ github.run_id }}-\${{ github.run_attempt }}
`
  return `name: webagent nightly

on:
  schedule:
    - cron: "17 3 * * *"
  workflow_dispatch:

jobs:
  nightly:
    runs-on: ubuntu-latest
    timeout-minutes: 60
${here}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
${bun}${corepack}      - uses: actions/cache/restore@v4
${history}          restore-keys: webagent-history-
      - run: ${isLocked ? manager.install : "npm install"}
      # a hosted service: add --target staging, and its key from the secrets as env
      - run: ${manager.exec} webagent-harness ${nightly}
      # in a step of its own, so that a night that fails is kept
      - if: always()
        uses: actions/cache/save@v4
${history}      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: webagent-report
          path: ${path("report")}
`
}

const gitlab = ({ below, isLocked, manager }: Surroundings) => `# runs in scheduled pipelines
webagent-nightly:
  image: node:24
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
  cache:
    key: webagent-history
    # a night that fails is kept, too
    when: always
    paths: [${below === "" ? "" : `${below}/`}.webagent/history.ndjson]
  script:
${below === "" ? "" : `    - cd ${below}\n`}    - ${isLocked ? manager.install : "npm install"}
    - ${manager.exec} webagent-harness ${nightly}
  artifacts:
    when: always
    paths: [${below === "" ? "" : `${below}/`}report]
    reports:
      junit: ${below === "" ? "" : `${below}/`}report/junit.xml
`

const ending = ({ manifest, typescript }: Surroundings): string =>
  // a package.json that init writes is of modules
  `${manifest === undefined || manifest.type === "module" ? "" : "m"}${typescript ? "ts" : "js"}`

/** The files to write. */
export const newFiles = (seen: Surroundings): ReadonlyArray<NewFile> => {
  const end = ending(seen)
  return [
    { path: `webagent.config.${end}`, text: config("suites/**/*.suite.{ts,mts,js,mjs}"), taken: fileNames },
    {
      path: `suites/first.suite.${end}`,
      text: suite,
      taken: ["ts", "mts", "js", "mjs"].map((other) => `suites/first.suite.${other}`)
    },
    seen.host === "github"
      ? { path: join(seen.root, ".github/workflows/webagent-nightly.yml"), text: github(seen) }
      : { path: join(seen.root, ".gitlab-ci.yml"), text: gitlab(seen) }
  ]
}

const ignored = [".webagent/", "report/"]

const indentOf = (text: string): string => /^[ \t]+/mu.exec(text)?.[0] ?? "  "

/** Additions to files that may already exist. An existing script stays as it is. */
export const additions = ({ gitignore, manifest, manifestText = "" }: Surroundings): ReadonlyArray<Addition> => {
  const lines = gitignore.split("\n").map((line) => line.trim().replace(/^\//u, "").replace(/\/?$/u, "/"))
  const unknown = ignored.filter((line) => !lines.includes(line))
  const added = Object.entries(scripts).filter(([name]) => manifest?.scripts?.[name] === undefined)
  const changed = {
    ...(manifest ?? { private: true, type: "module" }),
    scripts: { ...manifest?.scripts, ...Object.fromEntries(added) }
  }
  return [
    ...(unknown.length === 0
      ? []
      : [
          {
            path: ".gitignore",
            text: `${gitignore}${gitignore === "" || gitignore.endsWith("\n") ? "" : "\n"}${unknown.join("\n")}\n`,
            what: unknown.join(", ")
          }
        ]),
    ...(added.length === 0
      ? []
      : [
          {
            path: "package.json",
            text: `${JSON.stringify(changed, null, indentOf(manifestText))}\n`,
            what: `scripts ${added.map(([name]) => name).join(", ")}`
          }
        ])
  ]
}

/** The packages that the files import and the project does not have yet. */
export const missingPackages = ({ manifest }: Surroundings): ReadonlyArray<string> =>
  ["webagent-harness", "@webagent/scenario"].filter(
    (name) => manifest?.dependencies?.[name] === undefined && manifest?.devDependencies?.[name] === undefined
  )
