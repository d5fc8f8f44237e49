import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, beforeEach, describe, it, onTestFinished } from "vitest"
import { root } from "../src/build/workspace.ts"

const script = join(root, "tools/containers/debian.sh")

/** Programs in place of those that need root, an engine or another network. `$LOG` gets what they did. */
const programs: Readonly<Record<string, string>> = {
  id: "echo 0",
  dpkg: "exit 0",
  docker: 'until [ -e "$WEBAGENT_CONTAINERS/docker.sock" ]; do sleep 0.05; done',
  ln: "exit 0",
  sysctl: "exit 0",
  ip: 'echo "ip $*" >>"$LOG"',
  iptables: "exit 0",
  // without its first flag, which names a network
  nsenter: 'shift; exec "$@"',
  dockerd: `trap 'echo "engine stopped" >>"$LOG"; exit 0' TERM; echo "engine started" >>"$LOG"; : >"$WEBAGENT_CONTAINERS/docker.sock"; while :; do sleep 0.1; done`
}

/** A command that removes its containers when it's interrupted, which takes a moment. */
const command = `trap 'sleep 0.5; echo "command stopped" >>"$LOG"; exit 0' HUP INT TERM; echo ready; while :; do sleep 0.1; done`

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== "linux")("tools/containers/debian.sh", () => {
  let folder = ""
  let env: Readonly<Record<string, string | undefined>> = {}
  const place = () => join(folder, "engine")
  const log = () => (existsSync(join(folder, "log")) ? readFileSync(join(folder, "log"), "utf8") : "")

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "webagent-debian-"))
    const bin = join(folder, "bin")
    mkdirSync(bin)
    mkdirSync(place())
    for (const [name, body] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
      chmodSync(join(bin, name), 0o755)
    }
    const path = [bin, process.env["PATH"]].join(":")
    env = { ...process.env, PATH: path, LOG: join(folder, "log"), WEBAGENT_CONTAINERS: place() }
    return () => rmSync(folder, { recursive: true })
  })

  /** Starts a program in a process group of its own, as a terminal does. */
  const start = (...args: ReadonlyArray<string>): ChildProcess & { readonly group: number } => {
    const [program = "", ...rest] = args
    const child = spawn(program, rest, { env, detached: true, stdio: ["ignore", "pipe", "inherit"] })
    const group = child.pid ?? 0
    onTestFinished(() => void (isRunning(-group) && process.kill(-group, "SIGKILL")))
    return Object.assign(child, { group })
  }
  const printed = async ({ stdout }: ChildProcess) => {
    let text = ""
    for await (const part of stdout ?? []) text += String(part)
    return text
  }
  const codeOf = async (child: ChildProcess): Promise<unknown> => (await once(child, "exit"))[0]

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129]
  ] as const)("lets the command clean up before it stops the engine (%s)", async (name, code) => {
    const child = start("sh", script, "sh", "-c", command)
    await once(child.stdout ?? child, "data")
    const exited = codeOf(child)
    process.kill(-child.group, name)
    assert.strictEqual(await exited, code)
    const events = log()
      .split("\n")
      .filter((line) => !line.startsWith("ip "))
    assert.deepStrictEqual(events, ["engine started", "command stopped", "engine stopped", ""])
    assert.match(log().trim().split("\n").at(-1) ?? "", /^ip link delete wa\d+$/u)
    assert.isFalse(isRunning(-child.group))
  })

  it("returns the exit code of the command", async () => {
    assert.strictEqual(await codeOf(start("sh", script, "sh", "-c", "exit 7")), 7)
    assert.include(log(), "engine stopped")
  })

  it("starts even if the number in its file is that of another process by now", async () => {
    writeFileSync(join(place(), "pid"), String(process.pid))
    assert.strictEqual(await codeOf(start("sh", script, "true")), 0)
    assert.isFalse(existsSync(join(place(), "pid")))
  })

  it("stops the engine that a killed run has left", async () => {
    const killed = start("sh", script, "sh", "-c", "echo $PPID; exec sleep 600")
    await once(killed.stdout ?? killed, "data")
    const exited = codeOf(killed)
    killed.kill("SIGKILL")
    await exited
    assert.notInclude(log(), "engine stopped")
    assert.strictEqual(await codeOf(start("sh", script, "true")), 0)
    assert.deepStrictEqual(log().match(/engine \w+/gu), [
      "engine started",
      "engine stopped",
      "engine started",
      "engine stopped"
    ])
  })

  it("refuses a second run in the same folder", async () => {
    const first = start("sh", script, "sh", "-c", command)
    await once(first.stdout ?? first, "data")
    const second = start("sh", script, "true")
    const [code, text] = await Promise.all([codeOf(second), printed(second)])
    assert.strictEqual(code, 4)
    assert.match(text, /^Another run uses .+ Wait for it, or name another folder in WEBAGENT_CONTAINERS\.\n$/u)
    first.kill()
    assert.strictEqual(await codeOf(first), 143)
  })
})
