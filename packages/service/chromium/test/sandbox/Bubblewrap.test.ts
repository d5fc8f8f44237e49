import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type ChildProcess, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { getPriority, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { DevTools, Sandbox } from "../../src/index.ts"
import { killGroup } from "../../src/process/BrowserProcess.ts"
import { niceness } from "../../src/sandbox/Priority.ts"
import { trees } from "../../src/process/ProcessTree.ts"
import { networkOf } from "../../src/sandbox/keeper.ts"
import { node } from "../../src/sandbox/node.ts"
import { isPromptInParts, site } from "../egress/sockets.ts"
import { runtime } from "../support/chromium.ts"
import { layer, noNamespaces, open } from "../support/sandboxed.ts"

/** A service of the host that no browser may reach, on a port that is open. */
const secret = site((_, response) => response.end("secret"))

/** A folder of the host that every user may write. */
const hostFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-test-host-"))
    const open = join(folder, "open")
    mkdirSync(open)
    // browsers of a server that is root run as another user
    chmodSync(folder, 0o755)
    chmodSync(open, 0o777)
    writeFileSync(join(open, "secret.txt"), "secret")
    return { folder, open, file: join(open, "secret.txt") }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A process with a script of Node in the place of a browser. */
const inPlace = Effect.fnUntraced(function* (folder: string, script: string, tasks: number) {
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const around = { env: { PATH: "/usr/bin:/bin" }, folder, proxyCountryCode: null, tasks }
  const sandbox = yield* Sandbox
  const { args, env, executable } = yield* sandbox.enter({
    executable: node(),
    args: ["--eval", script, "--"],
    ...around
  })
  return yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(executable, args, {
        env,
        detached: true,
        stdio: ["ignore", "ignore", "pipe", "pipe", "pipe", "ipc"],
        ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {})
      })
      return { pid: child.pid ?? 0, stderr: child.stderr, network: networkOf(child) }
    }),
    ({ pid }) => Effect.sync(() => killGroup(pid))
  )
})

/** What it says first. */
const said = ({ stderr }: Pick<ChildProcess, "stderr">) =>
  Effect.promise(async () => String((await once(stderr ?? assert.fail("no standard error"), "data"))[0]))

const statusOf = (pid: number, field: string) =>
  new RegExp(`^${field}:\\s+(\\S+)`, "mu").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]

describe.skipIf(noNamespaces !== undefined)(`a browser in namespaces${noNamespaces ?? ""}`, () => {
  it.live("reaches allowed addresses, and counts its bytes", () =>
    Effect.gen(function* () {
      const { hits, port } = yield* site((_, response) => response.end("welcome"))
      yield* Effect.gen(function* () {
        const browser = yield* open()
        assert.strictEqual(yield* browser.visit(`http://site.test:${port}/`), "welcome")
        assert.isAbove((yield* browser.bytes) ?? 0, 0)
        assert.include(hits, `GET / site.test:${port}`)
      }).pipe(Effect.provide(layer({ allowPrivate: [`127.0.0.1:${port}`] })))
    })
  )

  it.live("responds to a CDP message in parts as soon as it is complete", () =>
    Effect.gen(function* () {
      const { devTools } = yield* open()
      const { socket } = yield* DevTools.open(devTools)
      const parts = ['{"id":1,"method":', '"Browser.getVersion"}'] as const
      const write = (part: 0 | 1) => socket.send(parts[part], { fin: part === 1 })
      const answered = () => new Promise((resolve) => socket.once("message", resolve))
      assert.isTrue(yield* Effect.promise(() => isPromptInParts(write, answered)))
    }).pipe(Effect.provide(layer()))
  )

  it.live("reaches no service of the host and no metadata, in any spelling", () =>
    Effect.gen(function* () {
      const { hits, port } = yield* secret
      yield* Effect.gen(function* () {
        const { evaluate, visit } = yield* open()
        for (const url of [
          `http://127.0.0.1:${port}/`,
          `https://127.0.0.1:${port}/`,
          `http://localhost:${port}/`,
          `http://any.localhost:${port}/`,
          `http://2130706433:${port}/`,
          `http://0x7f.1:${port}/`,
          `http://[::1]:${port}/`,
          `http://[::ffff:127.0.0.1]:${port}/`,
          `http://0.0.0.0:${port}/`,
          `http://site.test:${port}/`,
          `http://inside.test:${port}/`,
          `http://half.test/`,
          "http://169.254.169.254/latest/meta-data/",
          "http://[::ffff:169.254.169.254]/",
          "http://2852039166/",
          "http://metadata.google.internal/",
          "http://127.0.0.1:9222/json",
          "http://localhost:9222/json/version"
        ]) {
          assert.match(
            yield* visit(url),
            /^net::ERR_TUNNEL_CONNECTION_FAILED$|public addresses only|is closed to browsers|has no address/u,
            url
          )
        }
        for (const request of [
          `fetch("http://127.0.0.1:${port}/", { mode: "no-cors" })`,
          `fetch("https://localhost:${port}/", { mode: "no-cors" })`,
          `new Promise((ok) => { const s = new WebSocket("ws://127.0.0.1:${port}/"); s.onopen = s.onerror = ok })`,
          `new Promise((ok) => { const i = new Image(); i.onload = i.onerror = ok; i.src = "http://127.1:${port}/" })`
        ]) {
          yield* evaluate(`${request}.then(() => "ended", () => "ended")`)
        }
        assert.deepStrictEqual(hits, [])
      }).pipe(Effect.provide(layer({ ports: [80, 443, port] })))
    })
  )

  it.live("gives its driver no way around its proxy", () =>
    Effect.gen(function* () {
      const { hits, port } = yield* secret
      yield* Effect.gen(function* () {
        const { context, page, visit } = yield* open()
        for (const [params, url] of [
          [{ proxyServer: `http://127.0.0.1:${port}` }, "http://169.254.169.254/"],
          [{ proxyServer: `socks5://127.0.0.1:${port}` }, "http://8.8.8.8/"],
          [{ proxyServer: "direct://" }, `http://127.0.0.1:${port}/`],
          [{ proxyServer: "direct://" }, "http://8.8.8.8/"],
          [{ proxyBypassList: "*" }, `http://127.0.0.1:${port}/`]
        ] as const) {
          assert.notMatch(yield* visit(url, yield* context(params)), /secret/u)
        }
        const { frameTree } = yield* page.send("Page.getFrameTree", {})
        const { id } = frameTree.frame
        yield* page.send("Network.loadNetworkResource", {
          frameId: id,
          url: `http://127.0.0.1:${port}/`,
          options: { disableCache: true, includeCredentials: false }
        })
        assert.deepStrictEqual(hits, [])
      }).pipe(Effect.provide(layer({ ports: [80, 443, port] })))
    })
  )

  it.live("sends nothing around its proxy by WebRTC", () =>
    Effect.gen(function* () {
      const heard: Array<number> = []
      const port = yield* Effect.acquireRelease(
        Effect.promise(
          () =>
            new Promise<ReturnType<typeof createSocket>>((resolve) => {
              const socket = createSocket("udp4", (message) => heard.push(message.length))
              socket.bind(0, "127.0.0.1", () => resolve(socket))
            })
        ),
        (socket) => Effect.sync(() => socket.close())
      ).pipe(Effect.map((socket) => socket.address().port))
      const { evaluate } = yield* open()
      // gathering has no end where there is no way out: what would come, comes at once
      const candidates = yield* evaluate(`(async () => {
        const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] })
        const found = []
        peer.onicecandidate = ({ candidate }) => candidate && found.push(candidate.candidate)
        peer.createDataChannel("data")
        await peer.setLocalDescription(await peer.createOffer())
        await new Promise((ok) => setTimeout(ok, 500))
        return found
      })()`)
      assert.deepStrictEqual([candidates, heard], [[], []])
    }).pipe(Effect.provide(layer()))
  )

  it.live("reads no file of the host: by URL, as an upload or by drag and drop", () =>
    Effect.gen(function* () {
      const { file } = yield* hostFolder
      const { evaluate, folder, page, visit } = yield* open()
      // it does read files: those of its own folder
      writeFileSync(join(folder, "own.txt"), "own")
      assert.strictEqual(yield* visit(`file://${folder}/own.txt`), "own")
      assert.include(yield* visit(`view-source:file://${folder}/own.txt`), "own")
      const own = fileURLToPath(import.meta.url)
      for (const path of [file, own, "/etc/passwd", "/etc/hostname", "/root/", "/home/", "/usr/bin/"]) {
        for (const url of [pathToFileURL(path).href, `view-source:${pathToFileURL(path).href}`]) {
          assert.match(yield* visit(url), /^net::ERR_(?:FILE_NOT_FOUND|ACCESS_DENIED)$/u, url)
        }
      }
      yield* visit("data:text/html,<input type=file>")
      const input = yield* page.send("Runtime.evaluate", { expression: "document.querySelector('input')" })
      const { objectId = "" } = input.result
      for (const [path, text] of [
        [join(folder, "own.txt"), "own"],
        [file, "unreadable"],
        ["/etc/passwd", "unreadable"]
      ] as const) {
        yield* page.send("DOM.setFileInputFiles", { files: [path], objectId })
        const read = "document.querySelector('input').files[0].text().catch(() => 'unreadable')"
        assert.strictEqual((yield* evaluate(read)) || "unreadable", text, path)
      }
      yield* visit(`data:text/html,<body style="height:100vh">`)
      yield* evaluate(`(() => {
        ondragover = (event) => event.preventDefault()
        ondrop = (event) => {
          event.preventDefault()
          dropped = event.dataTransfer.files[0].text().catch(() => "unreadable")
        }
      })()`)
      for (const [path, text] of [
        [join(folder, "own.txt"), "own"],
        [file, "unreadable"],
        ["/etc/passwd", "unreadable"]
      ] as const) {
        const data = { items: [], files: [path], dragOperationsMask: 1 }
        for (const type of ["dragEnter", "dragOver", "drop"]) {
          yield* page.send("Input.dispatchDragEvent", { type, x: 50, y: 50, data })
        }
        assert.strictEqual((yield* evaluate("dropped")) || "unreadable", text, `${path} dropped`)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("writes no file of the host as a download", () =>
    Effect.gen(function* () {
      const host = yield* hostFolder
      const { client, evaluate, folder, visit } = yield* open()
      const download = Effect.fnUntraced(function* (downloadPath: string) {
        const ends: Array<unknown> = []
        client.on("Browser.downloadProgress", ({ state }) => {
          if (state !== "inProgress") ends.push(state)
        })
        yield* client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath, eventsEnabled: true })
        yield* evaluate(`(() => {
          const link = document.createElement("a")
          link.href = "data:application/octet-stream,written"
          link.download = "written.bin"
          document.body.append(link)
          link.click()
        })()`)
        yield* Effect.repeat(Effect.sleep("10 millis"), { while: () => ends.length === 0 })
      })
      yield* visit("data:text/html,<body></body>")
      yield* download(folder)
      assert.isTrue(existsSync(join(folder, "written.bin")))
      yield* download(host.open)
      assert.deepStrictEqual(readdirSync(host.open), ["secret.txt"])
    }).pipe(Effect.provide(layer()))
  )

  it.live("runs as an unprivileged user in its own namespaces, with Chromium's sandbox around its pages", () =>
    Effect.gen(function* () {
      const { pid, visit } = yield* open()
      yield* visit("data:text/html,page")
      const [all = []] = trees([pid])
      const isChromium = (each: number) => readFileSync(`/proc/${each}/cmdline`, "latin1").includes("--type=renderer")
      const renderer = all.find(isChromium) ?? assert.fail("no page has a process")
      for (const each of all) assert.notStrictEqual(statusOf(each, "Uid"), "0")
      assert.isAtLeast(getPriority(renderer), niceness)
      assert.deepStrictEqual(
        ["Seccomp", "NoNewPrivs", "CapEff"].map((field) => statusOf(renderer, field)),
        ["2", "1", "0000000000000000"]
      )
      for (const kind of ["user", "net", "pid", "mnt", "ipc", "uts"]) {
        const [own, ofServer] = [renderer, process.pid].map((each) => readlinkSync(`/proc/${each}/ns/${kind}`))
        assert.notStrictEqual(own, ofServer, kind)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("has none of its supervisor's descriptors, processes and programs", () =>
    Effect.gen(function* () {
      const script = `
        const { readdirSync, readlinkSync } = require("node:fs")
        const links = readdirSync("/proc/self/fd").flatMap((fd) => {
          try {
            return [[Number(fd), readlinkSync("/proc/self/fd/" + fd)]]
          } catch {
            return []
          }
        })
        const sockets = links.filter(([, link]) => link.startsWith("socket:")).map(([fd]) => fd)
        const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/u.test(name))
        console.error(JSON.stringify({ sockets, pids, channel: process.env.NODE_CHANNEL_FD ?? null }))`
      const child = yield* inPlace(join(yield* runtime, "one"), script, 100)
      // standard error, and the two pipes of Chromium
      assert.deepStrictEqual(JSON.parse(yield* said(child)), { sockets: [2, 3, 4], pids: ["1", "2"], channel: null })
    }).pipe(Effect.provide(layer()))
  )

  it.live("refuses a connection to DevTools that don't listen, and to those that have exited", () =>
    Effect.gen(function* () {
      const { network, pid } = yield* inPlace(join(yield* runtime, "one"), "setInterval(() => {}, 1000)", 100)
      const refused = Effect.callback<string>((resume) =>
        network.connect((error) => resume(Effect.succeed(error?.message ?? "connected")))
      )
      const proxy = yield* network.listener
      assert.match(yield* refused, /^DevTools do not respond: .*ECONNREFUSED/u)
      const [[, keeper = 0] = []] = trees([pid])
      // it takes no more messages
      process.kill(keeper, "SIGSTOP")
      const waits = yield* Effect.forkChild(refused, { startImmediately: true })
      killGroup(pid)
      assert.strictEqual(yield* Fiber.join(waits), "The browser ended.")
      assert.strictEqual(yield* refused, "The browser ended.")
      proxy.close()
    }).pipe(Effect.provide(layer()))
  )

  it.live("leaves no listener of its network, even when it serves nothing", () =>
    Effect.gen(function* () {
      const { network, pid } = yield* inPlace(join(yield* runtime, "one"), "setInterval(() => {}, 1000)", 100)
      const listener = yield* network.listener
      assert.isTrue(listener.listening)
      const closed = once(listener, "close")
      killGroup(pid)
      yield* Effect.promise(() => closed)
      assert.isFalse(listener.listening)
    }).pipe(Effect.provide(layer()))
  )

  it.live("has no more tasks than its limit, and takes none from another browser of its user", () =>
    Effect.gen(function* () {
      const folder = yield* runtime
      // starts threads until the kernel refuses one, and keeps them
      const script = `
        const { Worker } = require("node:worker_threads")
        const more = (n) => {
          if (n === 30) return console.error("30 threads")
          try {
            new Worker("setInterval(() => {}, 1000)", { eval: true }).once("online", () => more(n + 1))
          } catch ({ code }) {
            console.error(code + " after " + n)
          }
        }
        more(0)`
      for (const name of ["one", "two"]) {
        assert.match(
          yield* said(yield* inPlace(join(folder, name), script, 30)),
          /^ERR_WORKER_INIT_FAILED after [1-9]/u,
          name
        )
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("leaves no process when bubblewrap or its supervisor is killed", () =>
    Effect.gen(function* () {
      for (const nth of [0, 1]) {
        const { pid } = yield* open()
        const [all = []] = trees([pid])
        assert.isAbove(all.length, 4)
        process.kill(all[nth] ?? 0, "SIGKILL")
        yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => all.some((each) => existsSync(`/proc/${each}`)) })
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("does not start for a country without a proxy", () =>
    Effect.gen(function* () {
      const country = yield* Effect.flip(open({ proxyCountryCode: "xx" }))
      assert.strictEqual(country.message, `No proxy is configured for country "xx".`)
    }).pipe(Effect.provide(layer()))
  )
})
