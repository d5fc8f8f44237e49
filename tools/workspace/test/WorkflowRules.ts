import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { root } from "./Workflow.ts"

interface Step {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
}

interface Job {
  readonly needs?: string | ReadonlyArray<string>
  readonly if?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix?: Readonly<Record<string, ReadonlyArray<unknown>>> }
  readonly steps?: ReadonlyArray<Step>
  /** Another workflow, which runs in place of steps. */
  readonly uses?: string
}

interface Workflow {
  readonly on: {
    readonly workflow_call?: null
    readonly schedule?: ReadonlyArray<{ readonly cron: string }>
    readonly workflow_dispatch?: { readonly inputs?: Readonly<Record<string, unknown>> } | null
  }
  readonly permissions?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const workflowKeys = ["name", "on", "permissions", "env", "concurrency", "jobs"]
const jobKeys = ["needs", "if", "runs-on", "environment", "permissions", "env", "strategy", "timeout-minutes", "steps"]
const callerKeys = ["needs", "if", "permissions", "uses"]
const stepKeys = ["id", "if", "uses", "with", "run", "env"]

/** Inputs of the actions that the workflows use, at their pinned versions. */
const inputsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "actions/checkout": ["ref", "fetch-depth", "persist-credentials"],
  "actions/setup-node": ["node-version", "registry-url"],
  "actions/setup-go": ["go-version-file", "cache-dependency-path"],
  "actions/cache": ["path", "key", "restore-keys"],
  "actions/cache/restore": ["path", "key", "restore-keys"],
  "actions/cache/save": ["path", "key"],
  "actions/upload-artifact": ["name", "path", "include-hidden-files", "if-no-files-found"],
  "actions/download-artifact": ["name", "path", "pattern"]
}

const scopes = ["actions", "contents", "id-token", "packages"]

/** Fields of the context `github`. */
const githubFields = [
  "actor",
  "ref",
  "repository",
  "repository_owner",
  "run_attempt",
  "run_id",
  "run_number",
  "sha",
  "workflow",
  "workspace"
]
const functions = ["always", "failure", "success", "cancelled", "hashFiles"]

/** Contexts that the condition of a job can read. */
const jobContexts = ["github", "needs", "vars", "inputs"]

/** Commands that a machine of the workflows has. */
const commandsThere = [
  ["docker", "echo", "for", "node", "npm", "npx", "pip", "sh", "true"],
  ["apt-get", "sysctl"].map((name) => `sudo ${name}`),
  "[ ]".split(" ")
].flat()

const ofVersion = /^(?<action>[\w/-]+)@[0-9a-f]{40}$/u

const scripts = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts

const packageNames = (): ReadonlyArray<string> =>
  globSync("{apps,packages,packages/*,tools}/*/package.json", { cwd: root }).map(
    (path) => JSON.parse(readFileSync(join(root, path), "utf8")).name
  )

/** The expressions of a text: what `${{ }}` contains. */
const expressionsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\$\{\{\s*(.+?)\s*\}\}/gu), ([, expression = ""]) => expression)

/** The parts of a script that the shell runs as commands, without variables that are set for one command. */
const commandsIn = (script: string): ReadonlyArray<ReadonlyArray<string>> =>
  script
    .replaceAll(/"[^"]*"/gu, (text) => text.replaceAll(/[\s;|&]/gu, "_"))
    .split(/\n|;|&&|\|\|?/u)
    .map((part) => part.trim().replace(/^(?:do|then|else)\s+/u, ""))
    .map((part) => part.replace(/^(?:\w+=\S*\s+)+/u, ""))
    .filter((part) => part !== "" && part !== "done" && part !== "fi")
    .map((part) => part.split(/\s+/u))

/** Returns the problems of a command: a script, file or package that the repository doesn't have, or an unknown program. */
const problemsOfCommand = ([program = "", ...args]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first = ""] = args
  const hasFile = (path: string) => path.includes("$") || globSync(path, { cwd: root }).length > 0
  const name = program === "sudo" ? `sudo ${first}` : program
  if (!commandsThere.includes(name)) return [`the command "${name}" is not known`]
  if (program === "npm") {
    const script = first === "run" ? (args.find((word) => word !== "run" && !word.startsWith("-")) ?? "") : first
    return script in scripts() ? [] : [`package.json has no script "${script}"`]
  }
  if ((program === "node" || program === "sh") && !hasFile(first)) return [`there is no file ${first}`]
  return args.flatMap((word, index) =>
    args[index - 1] === "--filter" && !packageNames().includes(word) ? [`there is no package ${word}`] : []
  )
}

/** Variables that a script reads and that neither its environment nor the script itself sets. */
const unsetIn = (script: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const assigned = Array.from(script.matchAll(/\bfor (\w+) in\b|(?<=^|\s)(\w+)=/gu), ([, one, other]) => one ?? other)
  const known = new Set([...names, ...assigned])
  return Array.from(script.matchAll(/\$\{?([A-Za-z_]\w*)/gu), ([, name = ""]) => name).filter(
    (name) => !known.has(name) && !/^(?:GITHUB|RUNNER)_/u.test(name)
  )
}

/** What an expression may refer to at its place. */
interface Place {
  readonly job: Job
  readonly inputs: ReadonlyArray<string>
  /** Ids of the steps before this one. */
  readonly steps: ReadonlyArray<string>
}

const needsOf = ({ needs = [] }: Job): ReadonlyArray<string> => [needs].flat()

const problemsOfExpression = (expression: string, { inputs, job, steps }: Place): ReadonlyArray<string> => {
  const bare = expression.replaceAll(/'[^']*'/gu, "''")
  const known: Readonly<Record<string, ReadonlyArray<string> | undefined>> = {
    github: githubFields,
    matrix: Object.keys(job.strategy?.matrix ?? {}),
    inputs,
    steps,
    needs: needsOf(job),
    runner: ["os", "arch", "temp"]
  }
  const references = Array.from(bare.matchAll(/(?<![\w.-])([a-z]+)\.([\w-]+)/giu)).flatMap(
    ([text, context = "", field = ""]) => {
      if (["env", "vars", "secrets"].includes(context)) return []
      return known[context]?.includes(field) === true ? [] : [`\${{ ${text} }} does not exist here`]
    }
  )
  const calls = Array.from(bare.matchAll(/\b(\w+)\(/gu)).flatMap(([, name = ""]) =>
    functions.includes(name) ? [] : [`there is no function ${name}`]
  )
  const files = Array.from(expression.matchAll(/hashFiles\('([^']*)'\)/gu)).flatMap(([, path = ""]) =>
    globSync(path, { cwd: root }).length > 0 ? [] : [`there is no file ${path}`]
  )
  return [...references, ...calls, ...files]
}

const unknownKeys = (object: object, keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(object).flatMap((key) => (keys.includes(key) ? [] : [`the key "${key}" is not known`]))

const problemsOfStep = (step: Step, place: Place, env: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { if: condition = "", run, uses, with: inputs = {} } = step
  const action = uses === undefined ? undefined : ofVersion.exec(uses)?.groups?.["action"]
  const known = inputsOf[action ?? ""]
  const texts = [run ?? "", ...Object.values(inputs).map(String), ...Object.values(step.env ?? {})]
  const expressions = [condition, ...texts.flatMap(expressionsIn)]
  const script = run?.replaceAll(/\$\{\{.*?\}\}/gu, "x")
  return [
    ...unknownKeys(step, stepKeys),
    ...((run === undefined) === (uses === undefined) ? ["a step has either run or uses"] : []),
    ...(uses !== undefined && known === undefined ? [`${uses} is not a known action with the hash of a commit`] : []),
    ...Object.keys(inputs).flatMap((key) =>
      known?.includes(key) === false ? [`${action} has no input "${key}"`] : []
    ),
    ...expressions.flatMap((expression) => problemsOfExpression(expression, place)),
    ...(condition.includes("secrets.") ? ["a condition cannot read secrets"] : []),
    // anyone who can name a branch or an issue could write into the script
    ...expressionsIn(run ?? "")
      .filter((expression) => !expression.startsWith("matrix."))
      .map((expression) => `\${{ ${expression} }} is part of a script; pass it in env`),
    ...(script === undefined ? [] : commandsIn(script).flatMap(problemsOfCommand)),
    ...(script === undefined
      ? []
      : unsetIn(script, [...env, ...Object.keys(step.env ?? {})]).map((name) => `nothing sets $${name}`)),
    ...(script !== undefined && spawnSync("bash", ["-n", "-c", script]).status !== 0
      ? ["bash cannot read the script"]
      : [])
  ]
}

const problemsOfPermissions = (permissions: Readonly<Record<string, string>> = {}): ReadonlyArray<string> =>
  Object.entries(permissions).flatMap(([scope, level]) =>
    scopes.includes(scope) && ["read", "write", "none"].includes(level) ? [] : [`no permission is ${scope}: ${level}`]
  )

/** Returns the jobs that a job waits for, directly or not. */
const allNeeds = (jobs: Workflow["jobs"], name: string, seen: ReadonlySet<string> = new Set()): ReadonlySet<string> =>
  needsOf(jobs[name] ?? {}).reduce<ReadonlySet<string>>(
    (found, other) => (found.has(other) ? found : allNeeds(jobs, other, new Set([...found, other]))),
    seen
  )

/** True for the path of a workflow of this repository that other workflows can call. */
const isCallable = (path: string): boolean => {
  if (!path.startsWith("./.github/workflows/") || globSync(path, { cwd: root }).length === 0) return false
  const { on }: Workflow = parse(readFileSync(join(root, path), "utf8"))
  return "workflow_call" in on
}

/** Returns what GitHub would refuse of a workflow, or what would fail there, as sentences with the place. */
export const problemsOf = (text: string): ReadonlyArray<string> => {
  const workflow: Workflow = parse(text)
  const { env = {}, jobs, on, permissions } = workflow
  const inputs = Object.keys(on.workflow_dispatch?.inputs ?? {})
  const crons = (on.schedule ?? []).filter(({ cron }) => !/^(?:[\d*/,-]+ ){4}[\d*/,-]+$/u.test(cron))
  const jobProblems = Object.entries(jobs).flatMap(([name, job]) => {
    const place = (steps: ReadonlyArray<string>): Place => ({ job, inputs, steps })
    const { steps = [], uses } = job
    const ids = steps.flatMap(({ id }) => id ?? [])
    const contexts = Array.from((job.if ?? "").matchAll(/\b([a-z]+)\.\w/gu), ([, context = ""]) => context)
    const own = [
      ...unknownKeys(job, uses === undefined ? jobKeys : callerKeys),
      ...(uses === undefined && job["runs-on" as keyof Job] === undefined ? ["it has no runs-on"] : []),
      ...(uses === undefined || isCallable(uses) ? [] : [`${uses} is not a workflow that can be called`]),
      ...problemsOfPermissions(job.permissions),
      ...needsOf(job).flatMap((other) => (other in jobs ? [] : [`there is no job ${other}`])),
      ...(allNeeds(jobs, name).has(name) ? ["it waits for itself"] : []),
      ...(new Set(ids).size < ids.length ? ["two steps have the same id"] : []),
      ...problemsOfExpression(job.if ?? "", place([])),
      ...contexts.filter((one) => !jobContexts.includes(one)).map((one) => `its condition cannot read ${one}`),
      ...Object.values(job.env ?? {})
        .flatMap(expressionsIn)
        .flatMap((one) => problemsOfExpression(one, place([])))
    ]
    const ofSteps = steps.flatMap((step, index) => {
      const before = steps.slice(0, index).flatMap(({ id }) => id ?? [])
      const names = [...Object.keys(env), ...Object.keys(job.env ?? {})]
      return problemsOfStep(step, place(before), names).map((problem) => `step ${index + 1}: ${problem}`)
    })
    return [...own, ...ofSteps].map((problem) => `${name}: ${problem}`)
  })
  return [
    ...unknownKeys(workflow, workflowKeys),
    ...problemsOfPermissions(permissions),
    ...crons.map(({ cron }) => `"${cron}" is not a time`),
    ...jobProblems
  ]
}
