import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { TestProject } from "vitest/node"
import { installInto } from "../src/Project.ts"
import { type Packed, packAll } from "../src/Tarballs.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Every published package, packed. */
    readonly packed: ReadonlyArray<Packed>
    /** A project outside of the workspace that has all of them installed. */
    readonly project: string
  }
}

export default ({ provide }: TestProject) => {
  const packed = packAll()
  const project = mkdtempSync(join(tmpdir(), "webagent-project-"))
  installInto(project, { packed, devDependencies: { typescript: "7.0.2", "@types/node": "24.19.2" } })
  provide("packed", packed)
  provide("project", project)
  return () => {
    const [first] = packed
    if (first !== undefined) rmSync(dirname(dirname(first.tarball)), { recursive: true, force: true })
    rmSync(project, { recursive: true, force: true })
  }
}
