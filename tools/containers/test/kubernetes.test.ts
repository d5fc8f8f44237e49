import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/build/workspace.ts"
import { buildPrograms, findProgram } from "../src/kubernetes.ts"
import { Lacking } from "../src/Report.ts"

describe("findProgram", () => {
  it("prefers a program that was built here, and explains how to build a missing one, which needs Go", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-kubernetes-"))
    const path = process.env["PATH"]
    process.env["PATH"] = "/nowhere"
    try {
      writeFileSync(join(folder, "etcd"), "")
      assert.strictEqual(await findProgram("etcd", folder), join(folder, "etcd"))
      const error = await findProgram("kube-apiserver", folder).catch((reason: unknown) => reason)
      assert.instanceOf(error, Lacking)
      assert.strictEqual(
        String(error),
        'Error: kube-apiserver is neither on the PATH nor built: with Go, "npm run kubernetes" builds it once, in about 10 minutes.'
      )
      const withoutGo = await buildPrograms(folder, AbortSignal.abort()).catch((reason: unknown) => reason)
      assert.instanceOf(withoutGo, Lacking)
      assert.match(
        String(withoutGo),
        /^Error: kube-apiserver is built with Go, which is not on the PATH\. Get it from \S+$/u
      )
    } finally {
      process.env["PATH"] = path
      rmSync(folder, { recursive: true })
    }
  })
})

describe("tools/containers/kubernetes/go.mod", () => {
  it("has one version of Kubernetes and of its repository's modules", () => {
    const manifest = readFileSync(join(root, "tools/containers/kubernetes/go.mod"), "utf8")
    const [, version] = /k8s\.io\/kubernetes v1\.(\S+)/u.exec(manifest) ?? []
    const versions = Array.from(manifest.matchAll(/^\tk8s\.io\/\S+ => k8s\.io\/\S+ v0\.(\S+)$/gmu), ([, one]) => one)
    assert.isAbove(versions.length, 20)
    assert.deepStrictEqual([...new Set(versions)], [version])
  })
})
