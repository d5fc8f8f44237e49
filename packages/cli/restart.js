/**
 * Starts this process again with V8 options that save memory: V8 reads them at its start only, and without each it keeps a
 * hundred MB for garbage. The process stays the same: its id, parent and streams. Node 22 warns that execve is
 * experimental, Windows has none, and a fork would lose its channel.
 */
export const restartWith = async (options) => {
  const [major = 0] = process.versions.node.split(".").map(Number)
  const current = `${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS ?? ""}`
  const isFree = process.platform !== "win32" && !process.connected && !/--max[-_]semi[-_]space[-_]size/u.test(current)
  if (!isFree || major < 24 || process.execve === undefined) return
  const args = [process.execPath, ...options, ...process.execArgv, ...process.argv.slice(1)]
  try {
    const { spawnSync } = await import("node:child_process")
    // a newer Node whose V8 lacks one of the options would refuse to start
    const probe = [...options, "--eval", ""]
    if (major === 24 || spawnSync(process.execPath, probe, { stdio: "ignore", timeout: 5000 }).status === 0)
      process.execve(process.execPath, args, process.env)
  } catch {
    // Node's permission model, or a worker, refuses it: then the process uses more memory
  }
}
