import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as Checkout from "../../src/run/Checkout.ts"

describe("the repository of a remote", () => {
  it.each([
    ["git@github.com:shop/tests.git", "https://github.com/shop/tests"],
    ["https://github.com/shop/tests", "https://github.com/shop/tests"],
    ["https://token:x-oauth@github.com/shop/tests.git", "https://github.com/shop/tests"],
    ["ssh://git@gitlab.example.com:2222/group/sub/tests.git", "https://gitlab.example.com/group/sub/tests"],
    ["https://gitlab-ci-token:secret@gitlab.com/group/tests.git/", "https://gitlab.com/group/tests"],
    ["/srv/git/tests.git", undefined],
    ["https://git.example.com/shop/tests.git", undefined],
    ["", undefined]
  ])("%s", (remote, url) => {
    assert.strictEqual(Checkout.repositoryOf(remote)?.url, url)
  })
})

describe("the commit", () => {
  it.effect("of a folder comes from git, with its remote and local changes", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      assert.isUndefined(yield* Checkout.commitOf(folder))
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder, encoding: "utf8" })
      git("init", "--quiet")
      assert.isUndefined(yield* Checkout.commitOf(folder))
      yield* fs.writeFileString(join(folder, "a"), "1")
      git("add", "a")
      git("commit", "--quiet", "-m", "one")
      git("remote", "add", "origin", "https://secret@github.com/shop/tests.git")
      const commit = git("rev-parse", "HEAD").trim()
      const repository = { url: "https://github.com/shop/tests", forge: "github" } as const
      assert.deepStrictEqual(yield* Checkout.commitOf(folder), { commit, repository })
      yield* fs.writeFileString(join(folder, "a"), "2")
      assert.deepStrictEqual(yield* Checkout.commitOf(folder), { commit, isChanged: true, repository })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("of a CI job comes from its variables", () =>
    Effect.gen(function* () {
      const of = (env: Readonly<Record<string, string>>) =>
        Effect.provide(Checkout.commitOfCi, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
      assert.isUndefined(yield* of({}))
      assert.deepStrictEqual(
        yield* of({ GITHUB_SHA: "abc", GITHUB_SERVER_URL: "https://ghe.example", GITHUB_REPOSITORY: "o/r" }),
        { commit: "abc", repository: { url: "https://ghe.example/o/r", forge: "github" } }
      )
      assert.deepStrictEqual(yield* of({ CI_COMMIT_SHA: "def", CI_PROJECT_URL: "https://gl.example/o/r" }), {
        commit: "def",
        repository: { url: "https://gl.example/o/r", forge: "gitlab" }
      })
    })
  )
})
