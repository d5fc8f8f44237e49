import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { TestProject } from "vitest/node"
import { installInto, type Npm } from "../src/Project.ts"
import { startRegistry, versionInUse } from "../src/Registry.ts"
import { type Packed, packAll } from "../src/Tarballs.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Every published package, packed. */
    readonly packed: ReadonlyArray<Packed>
    /** A project outside of the workspace that has all of them installed. */
    readonly project: string
    /** Where another project installs them from. */
    readonly npm: Npm
  }
}

export default async ({ provide }: TestProject) => {
  const packed = await packAll()
  const registry = await startRegistry(packed)
  const folder = mkdtempSync(join(tmpdir(), "webagent-project-"))
  const project = join(folder, "project")
  mkdirSync(project)
  const npm: Npm = { registry: registry.address, cache: join(folder, "cache") }
  const ours = Object.fromEntries(packed.map(({ name, version }) => [name, version]))
  const inUse = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, versionInUse(name)]))
  await installInto(
    project,
    { dependencies: { ...inUse("effect"), ...ours }, devDependencies: inUse("typescript", "@types/node") },
    npm
  )
  provide("packed", packed)
  provide("project", project)
  provide("npm", npm)
  return () => {
    registry.stop()
    const [first] = packed
    if (first !== undefined) rmSync(dirname(dirname(first.tarball)), { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}
