#!/usr/bin/env node
// Nothing is imported before the version is known to be new enough: an old Node would fail on an import, not say why.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`webagent-server needs Node 22.19 or newer; this is ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  // V8 reads the options at its start only, and without each keeps a hundred MB for garbage. The process stays the same:
  // its id, parent and streams. Node 22 warns that execve is experimental, Windows has none, and a fork would lose its channel.
  const given = `${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS ?? ""}`
  const isFree = process.platform !== "win32" && !process.connected && !/--max[-_]semi[-_]space[-_]size/u.test(given)
  if (isFree && major >= 24 && process.argv[2] === "serve" && process.execve !== undefined) {
    const memory = ["--max-semi-space-size=8", "--heap-growing-percent=100"]
    const args = [process.execPath, ...memory, ...process.execArgv, ...process.argv.slice(1)]
    try {
      const { spawnSync } = await import("node:child_process")
      // a newer Node whose V8 lacks one of the options would refuse to start
      const probe = [...memory, "--eval", ""]
      if (major === 24 || spawnSync(process.execPath, probe, { stdio: "ignore", timeout: 5000 }).status === 0)
        process.execve(process.execPath, args, process.env)
    } catch {
      // Node's permission model, or a worker, refuses it: then the server uses more memory
    }
  }
  await import("#main")
}
