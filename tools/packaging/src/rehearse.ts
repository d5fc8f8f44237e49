/**
 * Packs every package, installs the tarballs into an app and runs them there: `node rehearse.ts FILE`. Writes its facts to
 * FILE. Its caller removes the temporary files.
 */
import { statSync, writeFileSync } from "node:fs"
import { installApp } from "./App.ts"
import { hasGo, packK6 } from "./K6Packages.ts"
import { problems, read } from "./Package.ts"
import { createRun, importAll, runLoadTest, runSuites, signIn } from "./Programs.ts"
import { packAll } from "./Tarballs.ts"

const [file = "facts"] = process.argv.slice(2)
const write = (line: string) => process.stdout.write(`${line}\n`)

const ours = await packAll()
const described = await Promise.all(
  ours.map(async ({ folder, name, tarball, version }) => ({
    name,
    version,
    files: read(folder).files.size,
    size_kB: statSync(tarball).size / 1000,
    problems: await problems(folder)
  }))
)
write(`${"package".padEnd(24)}${"version".padEnd(10)}${"files".padStart(6)}${"tarball".padStart(12)}`)
for (const { files, name, size_kB, version } of described)
  write(`${name.padEnd(24)}${version.padEnd(10)}${String(files).padStart(6)}${`${size_kB.toFixed(1)} kB`.padStart(12)}`)

const wrong = described.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))
const versions = [...new Set(described.map(({ version }) => version))]
if (versions.length > 1) wrong.push(`the versions differ: ${versions.join(", ")}`)
if (wrong.length > 0) {
  for (const problem of wrong) write(problem)
  write(`\n${wrong.length} problems; nothing would be published.`)
  process.exit(1)
}

const withK6 = hasGo()
const packed = [...ours, ...(withK6 ? await packK6() : [])]
const app = await installApp(packed)
const facts: Array<string> = []
const passed = (line: string) => {
  write(`passed   ${line}`)
  facts.push(line)
}
write("")
passed(`${ours.length} packages at ${versions.join()} install into an empty app`)
passed(`${await importAll(app.folder, ours)} entries import`)
passed(await signIn(app.folder))
passed(await createRun(app.folder))
passed(await runSuites(app.folder))
if (withK6) passed(await runLoadTest(app.folder))
else write("skipped  a load test with @webagent/k6: Go, which builds it, is not on the PATH.")
writeFileSync(file, facts.join("; "))
app.remove()
write(`\n${packed.length} packages would be published, all at ${versions.join()}; nothing was.`)
