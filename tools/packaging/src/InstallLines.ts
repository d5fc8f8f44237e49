import { join } from "node:path"
import type { Manifest } from "./Package.ts"

/** File name of a packed package, without the version, so that an install command stays valid. A program and a library may share a name. */
export const fileOf = (name: string): string =>
  `${name.startsWith("@") ? name.slice(1) : `${name}-program`}.tgz`.replace("/", "-")

/**
 * Returns the commands that install our packages into another project. A command with `--save-dev` leaves out the packages
 * that the app's client needs, because npm would move them to the app's devDependencies.
 *
 * @param folder The folder with the packed packages.
 */
export const installLines = (packages: ReadonlyArray<Manifest>, folder: string): string => {
  const manifests = new Map(packages.map((manifest) => [manifest.name, manifest]))

  /** A package and all of ours that it needs. */
  const closure = (name: string): ReadonlySet<string> => {
    const { dependencies = {}, peerDependencies = {} } = manifests.get(name) ?? {}
    const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((each) => manifests.has(each))
    return new Set([name, ...needed.flatMap((each) => [...closure(each)])])
  }

  const client = closure("@webagent/v4")

  /** Returns the files that npm has to install for these packages, except those that are already installed. */
  const files = (names: ReadonlyArray<string>, installed: ReadonlySet<string> = new Set()) =>
    [...new Set(names.flatMap((name) => [...closure(name)]))]
      .filter((name) => !installed.has(name))
      .map((name) => join(folder, fileOf(name)))
      .toSorted()
      .join(" ")

  return `A v4 client
  npm install effect@4.1.0 ${files([...client])}

The simulated service, for the tests of an app with that client
  npm install --save-dev ${files(["@webagent/simulation", "webagent-server"], client)}

The simulated service as a program, for an app without our clients
  npm install --save-dev ${files(["webagent-server"])}

The harness, in an app with that client
  npm install --save-dev ${files(["webagent-harness"], client)}

The harness, in a project of its own
  npm install --save-dev ${files(["webagent-harness"])}`
}
