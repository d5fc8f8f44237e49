/** Shows what a release would publish, and fails on what is wrong with it: `pnpm release:dry`. Publishes nothing. */
import { statSync } from "node:fs"
import { dirname } from "node:path"
import { problems, read } from "./Package.ts"
import { packAll } from "./Tarballs.ts"

const write = (line: string) => process.stdout.write(`${line}\n`)

const packed = await Promise.all(
  (await packAll()).map(async ({ folder, name, tarball, version }) => ({
    name,
    version,
    tarball,
    files: read(folder).files.size,
    size_kB: statSync(tarball).size / 1000,
    problems: await problems(folder)
  }))
)

write(`${"package".padEnd(24)}${"version".padEnd(10)}${"files".padStart(6)}${"tarball".padStart(12)}`)
for (const { files, name, size_kB, version } of packed) {
  write(`${name.padEnd(24)}${version.padEnd(10)}${String(files).padStart(6)}${`${size_kB.toFixed(1)} kB`.padStart(12)}`)
}

const wrong = packed.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))
for (const problem of wrong) write(problem)

const versions = new Set(packed.map(({ version }) => version))
if (versions.size > 1) wrong.push("versions differ")
write(
  wrong.length === 0
    ? `\n${packed.length} packages would be published, all at ${[...versions].join(", ")}; nothing was.`
    : `\n${wrong.length} problems; nothing would be published.`
)
for (const { tarball } of packed.slice(0, 1)) {
  write(`The tarballs are below ${dirname(dirname(tarball))}, and npm install takes their paths.`)
}
process.exitCode = wrong.length === 0 ? 0 : 1
