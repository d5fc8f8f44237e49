#!/usr/bin/env node
// Nothing is imported before the version is known to be new enough: an old Node would fail on an import, not say why.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`webagent-server needs Node 22.19 or newer; this is ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  if (process.argv[2] === "serve") {
    const { restartWith } = await import("@webagent/cli/restart")
    await restartWith(["--max-semi-space-size=8", "--heap-growing-percent=100"])
  }
  await import("#main")
}
