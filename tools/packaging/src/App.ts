import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { installInto, type Npm } from "./Project.ts"
import { startRegistry, versionInUse } from "./Registry.ts"
import type { Packed } from "./Tarballs.ts"

/** A project outside of the workspace that has packages installed from their tarballs. */
export interface App {
  readonly folder: string
  /** The registry and cache from which another project installs the packages. */
  readonly npm: Npm
  /** Removes the project and the tarballs. */
  readonly remove: () => void
}

const inUse = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, versionInUse(name)]))

/** Installs packages with npm into a new project, with effect and TypeScript. */
export const installApp = async (packed: ReadonlyArray<Packed>): Promise<App> => {
  const registry = await startRegistry(packed)
  const place = mkdtempSync(join(tmpdir(), "webagent-project-"))
  const remove = () => {
    registry.stop()
    const [first] = packed
    if (first !== undefined) rmSync(dirname(dirname(first.tarball)), { recursive: true, force: true })
    rmSync(place, { recursive: true, force: true })
  }
  const folder = join(place, "project")
  mkdirSync(folder)
  const npm: Npm = { registry: registry.address, cache: join(place, "cache") }
  const ours = Object.fromEntries(packed.map(({ name, version }) => [name, version]))
  try {
    const wanted = {
      dependencies: { ...inUse("effect"), ...ours },
      devDependencies: inUse("typescript", "@types/node")
    }
    await installInto(folder, wanted, npm)
    return { folder, npm, remove }
  } catch (error) {
    remove()
    throw error
  }
}
