#!/usr/bin/env node
// Nothing is imported before the version is known to be new enough: an old Node would fail on an import, not say why.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`webagent-harness needs Node 22.19 or newer; this is ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  // it runs for a day
  if (process.argv[2] === "ui") {
    const { restartWith } = await import("@webagent/cli/restart")
    await restartWith(["--max-semi-space-size=8"])
  }
  const { enableCompileCache } = await import("node:module")
  enableCompileCache?.()
  await import("../dist/main.js")
}
