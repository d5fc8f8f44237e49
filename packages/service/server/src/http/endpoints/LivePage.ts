import { createHash } from "node:crypto"

/** Data that a viewer receives in addition to pictures. */
export interface Told {
  readonly title: string
  readonly address: string
  readonly control: boolean
  /** True if title, path and pictures are left out, because they may contain a secret. */
  readonly concealed?: true
}

/** A step of the agent, sent to viewers when it begins and again when it ends. */
export interface ToldStep {
  /** From 1 in each run. */
  readonly number: number
  readonly summary: string
  readonly address: string
  /** The path of the picture that the agent saw; empty without one. */
  readonly picture: string
  /** The reason why the step failed, or null. `failure` and `duration_ms` are missing until it finishes. */
  readonly failure?: string | null
  readonly duration_ms?: number
}

/** The WebSocket close code for viewers of a browser that is gone for good. */
export const stoppedCode = 4001

/** The WebSocket close code for a viewer without control that sends input. */
export const refusedCode = 1008

/** The bytes before each JPEG: a 0, then the time of the picture in milliseconds since 1970, as a double. */
export const headerLength = 9

/** The script of the page. Its source goes into the page, so it uses nothing from around it. */
const watch = (stopped: number, header: number) => {
  const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E
  const canvas = find<HTMLCanvasElement>("screen")
  const keys = find<HTMLTextAreaElement>("keys")
  const steps = find<HTMLOListElement>("steps")
  const context = canvas.getContext("2d", { alpha: false })
  let socket: WebSocket | undefined
  let newest: ArrayBuffer | undefined
  let isDrawing = false
  let attempts = 0
  let control = false

  const say = (state: "live" | "wait" | "over", text: string) => {
    document.body.dataset["state"] = state
    find("state").textContent = text
  }
  const draw = async () => {
    if (isDrawing) return
    isDrawing = true
    // draws only the newest picture of those that arrived meanwhile
    while (newest !== undefined) {
      const bytes = newest
      newest = undefined
      try {
        const image = await createImageBitmap(new Blob([new Uint8Array(bytes, header)], { type: "image/jpeg" }))
        if (canvas.width !== image.width || canvas.height !== image.height) {
          canvas.width = image.width
          canvas.height = image.height
        }
        context?.drawImage(image, 0, 0)
        image.close()
        canvas.dataset["at"] = String(new DataView(bytes).getFloat64(1))
        canvas.hidden = false
        if (document.body.dataset["state"] !== "over") say("live", control ? "You have control" : "Live")
      } catch {
        // the next picture replaces one that cannot be read
      }
    }
    isDrawing = false
  }
  const pictureOf = (path: string, number: number) => {
    const link = document.createElement("a")
    const image = document.createElement("img")
    link.href = path
    link.target = "_blank"
    image.alt = `Step ${number}: what the agent saw`
    image.loading = "lazy"
    // the picture is deleted
    image.addEventListener("error", () => link.remove())
    image.src = path
    link.append(image)
    return link
  }
  const end = (number: number, failure: string | null, duration_ms: number) => {
    const item = steps.querySelector(`li[value="${number}"]:not(:has(~ li[value="${number}"]))`)
    if (item === null) return
    const note = document.createElement("small")
    note.textContent = ` ${failure === null ? `${(duration_ms / 1000).toFixed(1)} s` : `Failed: ${failure}`}`
    item.toggleAttribute("data-failed", failure !== null)
    item.querySelector("small")?.remove()
    item.querySelector("span")?.after(note)
  }
  const list = ({ address, duration_ms, failure, number, picture, summary }: ToldStep) => {
    if (failure !== undefined) return end(number, failure, duration_ms ?? 0)
    const item = document.createElement("li")
    const text = document.createElement("span")
    item.value = number
    text.textContent = summary
    item.title = address
    item.append(text, ...(picture === "" ? [] : [pictureOf(picture, number)]))
    steps.append(item)
    if (steps.childElementCount > 50) steps.firstElementChild?.remove()
    steps.hidden = false
    steps.scrollTop = steps.scrollHeight
  }
  const hear = (text: string) => {
    const told = JSON.parse(text) as Told | ToldStep
    if ("number" in told) return list(told)
    control = told.control
    document.body.toggleAttribute("data-control", control)
    document.body.toggleAttribute("data-concealed", told.concealed === true)
    if (told.concealed === true) say("live", "The agent typed a secret: only the pictures of its steps are shown")
    find("title").textContent = told.title === "" ? (told.concealed === true ? "Browser" : "Untitled tab") : told.title
    find("address").textContent = told.address
    document.title = `${told.title === "" ? "Browser" : told.title} (live)`
  }
  const again = async () => {
    say("wait", "Connection lost. Reconnecting…")
    try {
      // the page of an expired link says why
      const { status } = await fetch(location.href, { method: "HEAD" })
      if (status === 404 || status === 410) return location.reload()
    } catch {
      // the network or the server is down
    }
    attempts += 1
    window.setTimeout(connect, Math.min(500 * 2 ** attempts, 10_000))
  }
  const connect = () => {
    const address = new URL(`${location.pathname}/socket`, location.href)
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:"
    socket = new WebSocket(address)
    socket.binaryType = "arraybuffer"
    socket.addEventListener("open", () => {
      attempts = 0
      // the server sends the last steps again
      steps.replaceChildren()
      say("wait", "Waiting for the first picture…")
    })
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") return hear(data)
      newest = data
      void draw()
    })
    socket.addEventListener("close", ({ code, reason }) => {
      if (code === stopped) say("over", reason)
      else void again()
    })
  }

  const send = (input: Readonly<Record<string, unknown>>) => {
    if (control && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(input))
  }
  const modifiers = (event: MouseEvent | KeyboardEvent) =>
    (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0)
  const place = ({ clientX, clientY }: MouseEvent) => {
    const { height, left, top, width } = canvas.getBoundingClientRect()
    return { x: (clientX - left) / width, y: (clientY - top) / height }
  }
  const button = (index: number) => ["left", "middle", "right", "back", "forward"][index] ?? "none"
  let last = { time_ms: 0, x: 0, y: 0, clicks: 0 }
  const press = (event: PointerEvent) => {
    if (!control) return
    event.preventDefault()
    keys.focus({ preventScroll: true })
    canvas.setPointerCapture(event.pointerId)
    const isNear =
      Math.hypot(event.clientX - last.x, event.clientY - last.y) < 6 && event.timeStamp - last.time_ms < 500
    const clicks = isNear ? Math.min(3, last.clicks + 1) : 1
    last = { time_ms: event.timeStamp, x: event.clientX, y: event.clientY, clicks }
    send({ _tag: "Mouse", action: "pressed", ...place(event), ...held(event), button: button(event.button), clicks })
  }
  const held = (event: MouseEvent) => ({ buttons: event.buttons & 31, modifiers: modifiers(event) })
  canvas.addEventListener("pointerdown", press)
  canvas.addEventListener("pointerup", (event) => {
    const what = { button: button(event.button), clicks: last.clicks }
    send({ _tag: "Mouse", action: "released", ...place(event), ...held(event), ...what })
  })
  let moved: PointerEvent | undefined
  canvas.addEventListener("pointermove", (event) => {
    if (!control) return
    // pages draw no more than one move a frame
    if (moved === undefined) {
      requestAnimationFrame(() => {
        if (moved === undefined) return
        send({ _tag: "Mouse", action: "moved", ...place(moved), ...held(moved), button: "none", clicks: 0 })
        moved = undefined
      })
    }
    moved = event
  })
  canvas.addEventListener("contextmenu", (event) => control && event.preventDefault())
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!control) return
      event.preventDefault()
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 40 : 1
      const by = { deltaX: event.deltaX * lines, deltaY: event.deltaY * lines }
      send({ _tag: "Wheel", ...place(event), ...by, modifiers: modifiers(event) })
    },
    { passive: false }
  )
  const key = (action: "pressed" | "released") => (event: KeyboardEvent) => {
    const command = event.ctrlKey || event.metaKey
    // pasted text, and text of an input method or a phone's keyboard, arrives as an input event
    if (event.isComposing || event.keyCode === 229 || (command && event.key.toLowerCase() === "v")) return
    event.preventDefault()
    const { code, key, keyCode } = event
    send({ _tag: "Key", action, key: key.slice(0, 32), code: code.slice(0, 32), keyCode, modifiers: modifiers(event) })
  }
  keys.addEventListener("keydown", key("pressed"))
  keys.addEventListener("keyup", key("released"))
  const typed = () => {
    if (keys.value !== "") send({ _tag: "Text", text: keys.value })
    keys.value = ""
  }
  keys.addEventListener("input", (event) => {
    if (!(event as InputEvent).isComposing) typed()
  })
  keys.addEventListener("compositionend", typed)
  connect()
}

const script = `(${watch.toString()})(${stoppedCode},${headerLength})`

const style = `:root{color-scheme:dark}
*{box-sizing:border-box}
body{margin:0;height:100dvh;display:flex;flex-direction:column;background:#18181b;color:#f4f4f5;font:15px/1.4 system-ui,sans-serif}
header{display:flex;min-height:42px;gap:4px 12px;align-items:center;padding:8px 14px;border-bottom:1px solid #3f3f46}
#title,#address{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
#title{font-weight:600;flex:0 1 auto}
#address{color:#a1a1aa;flex:1 1 0;min-width:0}
#state{flex:none;padding:2px 10px;border-radius:999px;background:#3f3f46}
[data-state=live] #state{background:#14532d}
[data-state=live][data-control] #state{background:#9a3412}
[data-state=over] #state,[data-state=wait] #state{position:fixed;z-index:1;left:50%;top:50%;translate:-50% -50%;max-width:calc(100vw - 32px);padding:14px 20px;border-radius:10px;background:#27272a;border:1px solid #52525b;text-align:center}
main{flex:1;min-height:0;display:grid;place-items:center;position:relative}
#steps{flex:none;max-height:24dvh;margin:0;padding:8px 14px 8px 48px;overflow:auto;border-top:1px solid #3f3f46;overflow-wrap:anywhere}
#steps[hidden]{display:none}
#steps li:last-child span{font-weight:600}
#steps small{color:#a1a1aa}
#steps [data-failed] small{color:#fca5a5}
[data-concealed] main{display:none}
[data-concealed] #steps{flex:1;max-height:none}
#steps img{display:block;width:160px;height:90px;margin:4px 0 8px;object-fit:cover;object-position:top;border:1px solid #52525b;border-radius:4px}
[data-concealed] #steps img{width:min(480px,100%);height:auto}
canvas{max-width:100%;max-height:100%;min-width:0;min-height:0;touch-action:none}
canvas[hidden]{display:none}
[data-state=over] canvas,[data-state=wait] canvas{opacity:.35}
[data-control] canvas{cursor:crosshair}
#keys{position:absolute;left:0;bottom:0;width:1px;height:1px;opacity:0;border:0;padding:0;resize:none}
@media(max-width:600px){header{flex-wrap:wrap;padding:8px 10px}#address{flex-basis:100%;order:3}#title{flex:1 1 0;min-width:0}}
`

const escape = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const page = (state: string, text: string, more: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Browser (live)</title>
<style>${style}</style>
</head>
<body data-state="${state}">
<header><span id="title">Browser</span><span id="address"></span><span id="state" role="status">${escape(text)}</span></header>
<main><canvas id="screen" width="1280" height="720" hidden></canvas></main>
${more}
</body>
</html>
`

/** The page that shows a browser. */
export const live: string = page(
  "wait",
  "Connecting…",
  `<ol id="steps" aria-label="Steps of the agent" tabindex="0" hidden></ol><textarea id="keys" aria-label="Keyboard input for the browser" autocapitalize="off" autocomplete="off" spellcheck="false"></textarea><script>${script}</script>`
)

/** The page of a link that shows no browser. */
export const over = (reason: string): string => page("over", reason, "")

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** The headers of every response about a live view: the token in its address is a secret. */
export const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex"
}
