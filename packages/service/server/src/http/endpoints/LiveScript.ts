/**
 * The script of the live page. The source of each function goes into the page, so it uses only its parameters and the
 * browser's globals.
 */

/** Data that a viewer receives in addition to pictures. */
export interface Tab {
  readonly title: string
  readonly address: string
  /** True if the viewer's input can reach the browser. */
  readonly control: boolean
  /** The person who has control: this viewer or another one; missing without a person. */
  readonly driver?: "you" | "person"
  /** True if title, path and pictures are left out, because they may contain a secret. */
  readonly concealed?: true
}

/** Data that only a viewer receives who opens the socket with `?details=true`, such as the console. */
export interface Details {
  /** Number of viewers, including this one. */
  readonly viewers: number
  /** All tabs in the order in which they were opened; none if titles are left out. */
  readonly tabs: ReadonlyArray<{ readonly title: string; readonly address: string }>
}

/** Sent to a person with control whose input was not carried out: the reason, and what to do. */
export interface Refused {
  readonly refused: string
}

/** A step of the agent, sent to viewers when it begins and again when it ends. */
export interface Step {
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

/** Draws the newest picture of a browser. */
const makeScreen = (canvas: HTMLCanvasElement, header: number, onDrawn: () => void) => {
  const context = canvas.getContext("2d", { alpha: false })
  let newest: ArrayBuffer | undefined
  let isDrawing = false
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
        onDrawn()
      } catch {
        // the next picture replaces one that cannot be read
      }
    }
    isDrawing = false
  }
  return (bytes: ArrayBuffer) => {
    newest = bytes
    void draw()
  }
}

/** Lists the steps of the agent. */
const makeSteps = (steps: HTMLOListElement) => {
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
  const finish = (number: number, failure: string | null, duration_ms: number) => {
    const item = steps.querySelector(`li[value="${number}"]:not(:has(~ li[value="${number}"]))`)
    if (item === null) return
    const note = document.createElement("small")
    note.textContent = ` ${failure === null ? `${(duration_ms / 1000).toFixed(1)} s` : `Failed: ${failure}`}`
    item.toggleAttribute("data-failed", failure !== null)
    item.querySelector("small")?.remove()
    item.querySelector("span")?.after(note)
  }
  const show = ({ address, duration_ms, failure, number, picture, summary }: Step) => {
    if (failure !== undefined) return finish(number, failure, duration_ms ?? 0)
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
  return { clear: () => steps.replaceChildren(), show }
}

/** Sends a person's mouse and keyboard input to the browser, while the person has control. */
const forwardInput = (
  canvas: HTMLCanvasElement,
  keys: HTMLTextAreaElement,
  hasControl: () => boolean,
  send: (input: Readonly<Record<string, unknown>>) => void
) => {
  const modifiers = (event: MouseEvent | KeyboardEvent) =>
    (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0)
  const place = ({ clientX, clientY }: MouseEvent) => {
    const { height, left, top, width } = canvas.getBoundingClientRect()
    return { x: (clientX - left) / width, y: (clientY - top) / height }
  }
  const button = (index: number) => ["left", "middle", "right", "back", "forward"][index] ?? "none"
  let last = { time_ms: 0, x: 0, y: 0, clicks: 0 }
  const press = (event: PointerEvent) => {
    if (!hasControl()) return
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
    if (!hasControl()) return
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
  canvas.addEventListener("contextmenu", (event) => hasControl() && event.preventDefault())
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!hasControl()) return
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
}

/** Connects the page to its browser, and connects again when the connection is lost. */
const watch = (
  stopped: number,
  header: number,
  screenOf: typeof makeScreen,
  stepsOf: typeof makeSteps,
  forward: typeof forwardInput
) => {
  const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E
  const canvas = find<HTMLCanvasElement>("screen")
  let socket: WebSocket | undefined
  let attempts = 0
  let control = false
  let label = "Live"

  const say = (state: "live" | "wait" | "over", text: string) => {
    document.body.dataset["state"] = state
    find("state").textContent = text
  }
  const steps = stepsOf(find<HTMLOListElement>("steps"))
  const draw = screenOf(canvas, header, () => {
    if (document.body.dataset["state"] !== "over") say("live", label)
  })
  const receive = (text: string) => {
    const message = JSON.parse(text) as Tab | Step
    if ("number" in message) return steps.show(message)
    control = message.control
    const { concealed = false, driver = "none" } = message
    const labels = {
      you: "You have control. Esc releases it",
      person: "A person has control",
      none: control ? "Click to take control" : "Live"
    }
    // kept, because a picture from before may be drawn later
    label = concealed ? "The agent typed a secret: only its steps' pictures are shown" : labels[driver]
    if (concealed || document.body.dataset["state"] === "live") say("live", label)
    document.body.toggleAttribute("data-control", driver === "you")
    document.body.toggleAttribute("data-concealed", concealed)
    find("title").textContent = message.title === "" ? (concealed ? "Browser" : "Untitled tab") : message.title
    find("address").textContent = message.address
    document.title = `${message.title === "" ? "Browser" : message.title} (live)`
  }
  const reconnect = async () => {
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
      steps.clear()
      say("wait", "Waiting for the first picture…")
    })
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") return receive(data)
      draw(data)
    })
    socket.addEventListener("close", ({ code, reason }) => {
      if (code === stopped) say("over", reason)
      else void reconnect()
    })
  }

  forward(
    canvas,
    find<HTMLTextAreaElement>("keys"),
    () => control,
    (input) => {
      if (control && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(input))
    }
  )
  connect()
}

const sources = [makeScreen, makeSteps, forwardInput].map(String)

/** The source of the script. */
export const script = `(${String(watch)})(${stoppedCode},${headerLength},${sources.join(",")})`
