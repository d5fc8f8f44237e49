/** Packs every published package into one folder, to install it in another project: `npm run pack:into -- FOLDER`. */
import { copyFileSync, mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { read } from "./Package.ts"
import { packAll } from "./Tarballs.ts"

const [folder] = process.argv.slice(2)

if (folder === undefined) {
  console.error("Name the folder for the packages: npm run pack:into -- FOLDER")
  process.exit(2)
}

/** Without the version, so that a command that installs it stays true; a program and a library may share a name. */
const fileOf = (name: string): string =>
  `${name.startsWith("@") ? name.slice(1) : `${name}-program`}.tgz`.replace("/", "-")

const packed = await packAll()
const destination = resolve(folder)
mkdirSync(destination, { recursive: true })
const manifests = new Map(
  packed.map(({ folder, name, tarball }) => {
    copyFileSync(tarball, join(destination, fileOf(name)))
    return [name, read(folder).manifest]
  })
)

/** A package and all of ours that it needs. */
const closure = (name: string): ReadonlySet<string> => {
  const { dependencies = {}, peerDependencies = {} } = manifests.get(name) ?? {}
  const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((each) => manifests.has(each))
  return new Set([name, ...needed.flatMap((each) => [...closure(each)])])
}

const client = closure("@webagent/v4")

/** Returns the files that npm has to install for these packages, except those that are already there. */
const files = (names: ReadonlyArray<string>, there: ReadonlySet<string> = new Set()) =>
  [...new Set(names.flatMap((name) => [...closure(name)]))]
    .filter((name) => !there.has(name))
    .map((name) => join(destination, fileOf(name)))
    .toSorted()
    .join(" ")

console.log(`${packed.length} packages are in ${destination}. Run one of these in your project:

A v4 client
  npm install effect@4.1.0 ${files([...client])}

The simulated service, for the tests of an app with that client
  npm install --save-dev ${files(["@webagent/simulation", "webagent-server"], client)}

The simulated service as a program, for an app without our clients
  npm install --save-dev ${files(["webagent-server"])}

The harness, in an app with that client
  npm install --save-dev ${files(["webagent-harness"], client)}

The harness, in a project of its own
  npm install --save-dev ${files(["webagent-harness"])}`)
