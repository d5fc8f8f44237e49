import type { TestProject } from "vitest/node"
import { installApp } from "../src/App.ts"
import type { Npm } from "../src/Project.ts"
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
  const { folder, npm, remove } = await installApp(packed)
  provide("packed", packed)
  provide("project", folder)
  provide("npm", npm)
  return remove
}
