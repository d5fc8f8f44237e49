import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { dirname, join, relative } from "node:path"
import { usage } from "@webagent/cli/UserError"

/** The part of a package.json that is looked at. */
export interface Manifest {
  readonly type?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const managers = {
  "pnpm-lock.yaml": { name: "pnpm", install: "pnpm install --frozen-lockfile", add: "pnpm add -D", exec: "pnpm exec" },
  "yarn.lock": { name: "yarn", install: "yarn install --immutable", add: "yarn add -D", exec: "yarn" },
  "bun.lock": { name: "bun", install: "bun install --frozen-lockfile", add: "bun add -d", exec: "bunx" },
  "package-lock.json": { name: "npm", install: "npm ci", add: "npm install -D", exec: "npx" }
} as const

/** A package manager, and how it is asked. */
interface Manager {
  readonly name: string
  readonly install: string
  readonly add: string
  readonly exec: string
}

/** Facts about a project that init detects, so that it doesn't have to ask. */
export interface Surroundings {
  readonly manifest: Manifest | undefined
  /** The text of package.json; init keeps its indentation. */
  readonly manifestText: string | undefined
  readonly manager: Manager
  /** True if there is a lockfile, because CI installs from it. */
  readonly isLocked: boolean
  readonly typescript: boolean
  readonly vitest: boolean
  readonly host: "github" | "gitlab"
  /** The path from the root of the git repository to the project; empty where they are one. */
  readonly below: string
  /** The root of the git repository from the project. */
  readonly root: string
  readonly gitignore: string
}

const upwards = (folder: string): ReadonlyArray<string> => {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}

/** Looks at the project in a folder. */
export const look = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const exists = (path: string) => Effect.orElseSucceed(fs.exists(path), () => false)
  const text = (path: string) => Effect.orElseSucceed(fs.readFileString(path), () => undefined)
  const first = Effect.fnUntraced(function* (names: ReadonlyArray<string>, folders: ReadonlyArray<string>) {
    for (const each of folders) {
      for (const name of names) if (yield* exists(join(each, name))) return { name, folder: each }
    }
    return undefined
  })
  const all = upwards(folder)
  const git = yield* first([".git"], all)
  const within = git === undefined ? [folder] : all.slice(0, all.indexOf(git.folder) + 1)
  const lock = yield* first(Object.keys(managers), within)
  const remote = git === undefined ? undefined : yield* text(join(git.folder, ".git", "config"))
  const root = git?.folder ?? folder
  const manifestText = yield* text(join(folder, "package.json"))
  const manifest = yield* Effect.try({
    try: (): Manifest | undefined => (manifestText === undefined ? undefined : JSON.parse(manifestText)),
    catch: (error) => usage(`package.json is not JSON: ${error instanceof Error ? error.message : error}. Correct it.`)
  })
  const installed = { ...manifest?.dependencies, ...manifest?.devDependencies }
  const isGitlab = /gitlab/u.test(remote ?? "") || (yield* exists(join(root, ".gitlab-ci.yml")))
  return {
    manifest,
    manifestText,
    manager: managers[(lock?.name ?? "package-lock.json") as keyof typeof managers],
    isLocked: lock !== undefined,
    typescript: "typescript" in installed || (yield* first(["tsconfig.json"], within)) !== undefined,
    vitest: "vitest" in installed,
    host: isGitlab ? "gitlab" : "github",
    below: relative(root, folder),
    root: relative(folder, root),
    gitignore: (yield* text(join(folder, ".gitignore"))) ?? ""
  } satisfies Surroundings
})
