/** Packs every published package into one folder, to install it in another project: `npm run pack:into -- FOLDER`. */
import { copyFileSync, mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileOf, installLines } from "./InstallLines.ts"
import { read } from "./Package.ts"
import { packAll } from "./Tarballs.ts"

const [folder] = process.argv.slice(2)

if (folder === undefined) {
  console.error("Name the folder for the packages: npm run pack:into -- FOLDER")
  process.exit(2)
}

const packed = await packAll()
const destination = resolve(folder)
mkdirSync(destination, { recursive: true })
const manifests = packed.map(({ folder, name, tarball }) => {
  copyFileSync(tarball, join(destination, fileOf(name)))
  return read(folder).manifest
})
console.log(
  `${packed.length} packages are in ${destination}. Run one of these in your project:\n\n${installLines(manifests, destination)}`
)
