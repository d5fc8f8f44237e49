import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createSocket } from "node:dgram"
import { Sandbox } from "../../src/index.ts"
import { chromiumSandbox } from "../support/chromium.ts"
import { layerEgress, open } from "../support/sandboxed.ts"
import { site } from "../egress/sockets.ts"

/** A listener of the machine, which would hear what a page sends past its proxy. */
const listener = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly heard: Array<number>; readonly port: number; readonly close: () => void }>((resolve) => {
        const heard: Array<number> = []
        const socket = createSocket("udp4", (message) => heard.push(message.length))
        socket.bind(0, "127.0.0.1", () =>
          resolve({ heard, port: socket.address().port, close: () => void socket.close() })
        )
      })
  ),
  ({ close }) => Effect.sync(close)
)

it.live("a page with a proxy and without namespaces sends no UDP: neither WebRTC nor HTTP/3", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* listener
    const page = yield* site((_, response) => response.setHeader("content-type", "text/html").end("<p>page</p>"))
    const sandbox = Layer.provide(Sandbox.layerProxy, layerEgress({ allowPrivate: [`127.0.0.1:${page.port}`] }))
    const found = yield* Effect.gen(function* () {
      const { evaluate, visit } = yield* open({ chromiumSandbox: yield* chromiumSandbox })
      // WebTransport is for secure pages, and the loopback address counts as one
      assert.strictEqual(yield* visit(`http://127.0.0.1:${page.port}/`), "page")
      return yield* evaluate(`(async () => {
        const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] })
        const candidates = []
        peer.onicecandidate = ({ candidate }) => candidate && candidates.push(candidate.candidate)
        peer.createDataChannel("data")
        await peer.setLocalDescription(await peer.createOffer())
        const transport = new WebTransport("https://127.0.0.1:${port}/")
        const ended = await transport.ready.then(() => "open", ({ name }) => name)
        await new Promise((ok) => setTimeout(ok, 500))
        return { candidates, ended }
      })()`)
    }).pipe(Effect.scoped, Effect.provide(sandbox))
    assert.deepStrictEqual([found, heard], [{ candidates: [], ended: "WebTransportError" }, []])
  }).pipe(Effect.scoped)
)

it.live("a redirect leads only to targets that may be reached", () =>
  Effect.gen(function* () {
    const secret = yield* site((_, response) => response.end("secret"))
    const front = yield* site((request, response) => {
      const to = decodeURIComponent((request.url ?? "").slice(2))
      if (to !== "") return response.writeHead(302, { location: to }).end()
      response.setHeader("content-type", "text/html").end("<p>page</p>")
    })
    const options = { allowPrivate: [`127.0.0.1:${front.port}`], ports: [80, 443, secret.port] }
    yield* Effect.gen(function* () {
      const { allow, evaluate, visit } = yield* open({ chromiumSandbox: yield* chromiumSandbox })
      const home = `http://site.test:${front.port}`
      const redirect = (to: string) => visit(`${home}/?${encodeURIComponent(to)}`)
      for (const to of [
        `http://127.0.0.1:${secret.port}/`,
        `http://inside.test:${secret.port}/`,
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/"
      ]) {
        assert.match(yield* redirect(to), /public addresses only/u, to)
      }
      assert.match(yield* redirect("file:///etc/passwd"), /^net::ERR_/u)
      assert.strictEqual(yield* visit(home), "page")
      const fetched = `fetch("/?${encodeURIComponent(`http://127.0.0.1:${secret.port}/`)}", { mode: "no-cors" })`
      yield* evaluate(`${fetched}.then(() => "", () => "")`)
      yield* allow(["site.test"])
      assert.strictEqual(yield* redirect(`${home}/`), "page")
      assert.match(yield* redirect(`http://127.0.0.1:${front.port}/`), /is not one of the domains/u)
      assert.deepStrictEqual(secret.hits, [])
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(Sandbox.layerProxy, layerEgress(options))))
  }).pipe(Effect.scoped)
)

/** Ways of a page to ask for `url`, each by a name that the request has in its path; each is over when it has asked. */
const ways: Readonly<Record<string, (url: string) => string>> = {
  fetch: (url) => `fetch("${url}", { mode: "no-cors" })`,
  beacon: (url) => `navigator.sendBeacon("${url}")`,
  "dedicated-worker": (url) => `new Promise((ok) => {
    const text = 'fetch("${url}", { mode: "no-cors" }).catch(() => 0).then(() => postMessage(1))'
    new Worker(URL.createObjectURL(new Blob([text]))).onmessage = ok
  })`,
  "service-worker": (url) => `navigator.serviceWorker
    .register("/worker.js?" + encodeURIComponent("${url}"))
    .then(() => navigator.serviceWorker.ready)`,
  "data-frame": (url) => frame(`data:text/html,<img src="${url}">`),
  "blob-frame": (url) => frame("", `URL.createObjectURL(new Blob(['<img src="${url}">'], { type: "text/html" }))`),
  "nested-frame": (url) => frame(`data:text/html,<iframe src='data:text/html,<img src="${url}">'></iframe>`),
  "style-sheet": (url) => `new Promise((ok) => {
    const style = document.createElement("style")
    style.textContent = '@import url("${url}")'
    style.onload = style.onerror = ok
    document.head.append(style)
  })`,
  "event-source": (url) => `new Promise((ok) => {
    const events = new EventSource("${url}")
    events.onopen = events.onerror = () => (events.close(), ok())
  })`,
  "web-socket": (url) => `new Promise((ok) => {
    const socket = new WebSocket("${url.replace("http", "ws")}")
    socket.onopen = socket.onerror = ok
  })`
}

const frame = (src: string, made = JSON.stringify(src)) => `new Promise((ok) => {
  const frame = document.createElement("iframe")
  frame.onload = ok
  frame.src = ${made}
  document.body.append(frame)
})`

it.live("no request of a page or its client gets around the proxy", () =>
  Effect.gen(function* () {
    const secret = yield* site((_, response) => response.end("secret"))
    const home = yield* site((request, response) => {
      const [path, query = ""] = (request.url ?? "").split("?")
      if (path !== "/worker.js") return response.setHeader("content-type", "text/html").end("<body>page</body>")
      response.setHeader("content-type", "text/javascript")
      response.end(
        `oninstall = (event) => event.waitUntil(fetch("${decodeURIComponent(query)}", { mode: "no-cors" }).catch(() => 0))`
      )
    })
    const asked = (allowPrivate: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        secret.hits.length = 0
        const { evaluate, page, visit } = yield* open({ chromiumSandbox: yield* chromiumSandbox })
        // service workers are for secure pages, and the loopback address counts as one
        assert.strictEqual(yield* visit(`http://127.0.0.1:${home.port}/`), "page")
        const to = (name: string) => `http://127.0.0.1:${secret.port}/${name}`
        for (const [name, way] of Object.entries(ways)) {
          yield* evaluate(`Promise.resolve(${way(to(name))}).then(() => 0, () => 0)`)
        }
        // of what pages ask for, a client says where it goes
        page.on("Fetch.requestPaused", ({ requestId }) =>
          page.post("Fetch.continueRequest", { requestId, url: to("continued") })
        )
        yield* page.send("Fetch.enable")
        yield* evaluate(`fetch("/elsewhere").then(() => 0, () => 0)`)
        yield* page.send("Fetch.disable")
        const { frameTree } = yield* page.send("Page.getFrameTree")
        const { id } = frameTree.frame
        const options = { disableCache: true, includeCredentials: false }
        yield* page.send("Network.loadNetworkResource", { frameId: id, url: to("loaded"), options })
        yield* visit(to("visited"))
        return [...secret.hits]
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.provide(Sandbox.layerProxy, layerEgress({ allowPrivate, ports: [80, 443, secret.port] })))
      )
    // each asks: they reach what is excepted
    const reached = yield* asked([`127.0.0.1:${home.port}`, `127.0.0.1:${secret.port}`])
    for (const name of [...Object.keys(ways), "continued", "loaded", "visited"]) {
      assert.isTrue(
        reached.some((hit) => hit.includes(`/${name} `)),
        name
      )
    }
    assert.deepStrictEqual(yield* asked([`127.0.0.1:${home.port}`]), [])
  }).pipe(Effect.scoped)
)
