import type { Commit } from "@webagent/report/Revision"
import { variable } from "@webagent/cli/Terminal"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"

type Repository = NonNullable<Commit["repository"]>

const forgeOf = (host: string): Repository["forge"] | undefined =>
  (["github", "gitlab"] as const).find((forge) => host.includes(forge))

/**
 * Returns the repository of a remote's address, such as `git@github.com:shop/tests.git`, without credentials; undefined if
 * its host is not known as a forge.
 */
export const repositoryOf = (remote: string): Repository | undefined => {
  const [, host, path] =
    /^(?:(?:https?|ssh|git):\/\/)?(?:[^@/]*@)?([\w.-]+)(?::\d+\/|[:/])\/?(.+?)(?:\.git)?\/*$/u.exec(remote.trim()) ?? []
  const forge = host === undefined ? undefined : forgeOf(host.toLowerCase())
  return host === undefined || path === undefined || forge === undefined
    ? undefined
    : { url: `https://${host}/${path}`, forge }
}

/** Output of a git command in a folder; undefined if git fails, or takes too long. */
const git = (folder: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(ChildProcessSpawner, (spawner) =>
    spawner.string(ChildProcess.make("git", ["-C", folder, ...args], { stdin: "ignore", stderr: "ignore" }))
  ).pipe(
    Effect.timeout("5 seconds"),
    Effect.map((text) => text.trim()),
    Effect.orElseSucceed(() => undefined)
  )

const commitPattern = /^[\da-f]{40,64}$/u

/** Reads the commit of a folder from git; undefined outside of a repository. */
export const commitOf = Effect.fnUntraced(function* (folder: string) {
  const commit = yield* git(folder, "rev-parse", "HEAD")
  if (commit === undefined || !commitPattern.test(commit)) return undefined
  const [changes = "", remote = ""] = yield* Effect.all(
    [git(folder, "status", "--porcelain", "--untracked-files=no"), git(folder, "remote", "get-url", "origin")],
    { concurrency: 2 }
  )
  const repository = repositoryOf(remote)
  return {
    commit,
    ...(changes === "" ? {} : { isChanged: true }),
    ...(repository === undefined ? {} : { repository })
  } satisfies Commit
})

/** Reads the commit that a CI system checked out from its variables; undefined outside of GitHub Actions and GitLab. */
export const commitOfCi = Effect.gen(function* () {
  const [sha, server, name, gitlabSha, project] = yield* Effect.all(
    ["GITHUB_SHA", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "CI_COMMIT_SHA", "CI_PROJECT_URL"].map(variable)
  )
  const commitOf = (commit: string, url: string | undefined, forge: Repository["forge"]): Commit => ({
    commit,
    ...(url === undefined ? {} : { repository: { url, forge } })
  })
  if (sha !== undefined)
    return commitOf(sha, server === undefined || name === undefined ? undefined : `${server}/${name}`, "github")
  return gitlabSha === undefined ? undefined : commitOf(gitlabSha, project, "gitlab")
})

/** The commit of the suites: of the CI job, or of the working directory. */
export const suites = Effect.flatMap(commitOfCi, (commit) =>
  commit === undefined ? commitOf(".") : Effect.succeed(commit)
)

/** The commit of the harness, if it runs from a checkout. An installed package has a version only. */
export const harness =
  import.meta.url.endsWith(".ts") && !import.meta.url.includes("node_modules")
    ? commitOf(import.meta.dirname)
    : Effect.undefined
