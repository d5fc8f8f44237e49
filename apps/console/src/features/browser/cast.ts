import type { Input } from "./input.ts"

/** A step of the agent, as the live socket sends it. */
export interface CastStep {
  readonly number: number
  readonly summary: string
  readonly address: string
  readonly failure?: string | null
  readonly duration_ms?: number
}

/** An open tab of the browser. */
export interface CastTab {
  readonly title: string
  readonly address: string
}

/** State of a browser's cast. */
export interface Cast {
  readonly state: "connecting" | "live" | "lost" | "over"
  /** Reason for its end; an empty string before. */
  readonly reason: string
  readonly title: string
  readonly address: string
  readonly isConcealed: boolean
  readonly hasPicture: boolean
  /** All tabs in the order in which they were opened; empty if they aren't known. The last one is shown. */
  readonly tabs: ReadonlyArray<CastTab>
  /** Number of people who watch, including this page; 0 if it isn't known. */
  readonly viewers: number
  readonly steps: ReadonlyArray<CastStep>
  /** Reason why the last address was not opened; an empty string without one. */
  readonly refused: string
}

/** A cast before its first message. */
export const noCast: Cast = {
  state: "connecting",
  reason: "",
  title: "",
  address: "",
  isConcealed: false,
  hasPicture: false,
  tabs: [],
  viewers: 0,
  steps: [],
  refused: ""
}

/** Bytes before each JPEG. */
const header_bytes = 9

/** Close code for a browser that is gone for good. */
const stoppedCode = 4001

/** Most steps that are kept. */
const mostSteps = 50

/** Most tabs that are shown, the newest ones. */
const mostTabs = 20

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const tabsOf = (value: unknown): ReadonlyArray<CastTab> =>
  Array.isArray(value)
    ? value
        .filter((tab): tab is Readonly<Record<string, unknown>> => typeof tab === "object" && tab !== null)
        .slice(-mostTabs)
        .map(({ address, title }) => ({ title: text(title), address: text(address) }))
    : []

/** A cast without its connection: its viewers and tabs aren't known. */
export const lost = (cast: Cast): Cast => ({ ...cast, state: "lost", viewers: 0, tabs: [] })

/** Adds a message of the socket to a cast. */
export const received = (cast: Cast, message: Readonly<Record<string, unknown>>): Cast => {
  const { number, refused, viewers } = message
  if (typeof refused === "string") return { ...cast, refused }
  if (typeof viewers === "number") return { ...cast, viewers, tabs: tabsOf(message["tabs"]) }
  if (typeof number !== "number") {
    return {
      ...cast,
      state: "live",
      title: text(message["title"]),
      address: text(message["address"]),
      isConcealed: message["concealed"] === true
    }
  }
  const step: CastStep = {
    number,
    summary: text(message["summary"]),
    address: text(message["address"]),
    ...("failure" in message ? { failure: message["failure"] === null ? null : text(message["failure"]) } : {}),
    ...(typeof message["duration_ms"] === "number" ? { duration_ms: message["duration_ms"] } : {})
  }
  // the end of a step replaces its beginning; the next run of the session counts from 1 again
  const last = cast.steps.findLastIndex((one) => one.number === number && one.failure === undefined)
  const steps = step.failure !== undefined && last !== -1 ? cast.steps.with(last, step) : [...cast.steps, step]
  return { ...cast, steps: steps.slice(-mostSteps) }
}

interface Connection {
  readonly send: (input: Input) => void
  /** Releases the browser after the input that was sent; false if the server didn't get there within 2 seconds. */
  readonly release: () => Promise<boolean>
  readonly close: () => void
}

/** Draws only the newest of the pictures that arrive while another one is decoded. */
const makeScreen = (canvas: HTMLCanvasElement, onDrawn: () => void) => {
  const context = canvas.getContext("bitmaprenderer")
  let newest: ArrayBuffer | undefined
  let isDrawing = false
  const draw = async () => {
    if (isDrawing) return
    isDrawing = true
    while (newest !== undefined) {
      const bytes = new Uint8Array(newest, header_bytes)
      newest = undefined
      try {
        const picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }))
        canvas.width = picture.width
        canvas.height = picture.height
        context?.transferFromImageBitmap(picture)
        onDrawn()
      } catch {
        // an unreadable picture is replaced by the next one
      }
    }
    isDrawing = false
  }
  return (picture: ArrayBuffer) => {
    newest = picture
    void draw()
  }
}

/**
 * The address of a live page's socket on this origin, with the number of viewers and the tabs: a link may start with a public
 * URL that this page isn't at.
 */
export const socketAddress = (link: string, page: string): string => {
  const address = new URL(`${new URL(link).pathname}/socket?details=true`, page)
  address.protocol = address.protocol.replace("http", "ws")
  return address.href
}

/** Time for the input that was sent to reach the browser before its release. */
const release_ms = 2000

/** The key that releases a browser. The server handles it in turn, after the input that was sent before it. */
const escapeKey: Input = { _tag: "Key", action: "pressed", key: "Escape", code: "Escape", keyCode: 27, modifiers: 0 }

/** Shows a browser on a canvas, and connects again when the connection is lost, until `close`. */
export const connect = (
  link: string,
  canvas: HTMLCanvasElement,
  onChange: (change: (cast: Cast) => Cast) => void
): Connection => {
  let socket: WebSocket | undefined
  let timer = 0
  let attempts = 0
  let isClosed = false
  let onReleased: (() => void) | undefined
  const draw = makeScreen(canvas, () => onChange((cast) => (cast.hasPicture ? cast : { ...cast, hasPicture: true })))
  const open = () => {
    socket = new WebSocket(socketAddress(link, location.href))
    socket.binaryType = "arraybuffer"
    socket.addEventListener("open", () => {
      attempts = 0
      // the server sends the last steps again
      onChange((cast) => ({ ...cast, state: "live", steps: [] }))
    })
    socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== "string") return draw(data)
      const message = JSON.parse(data) as Readonly<Record<string, unknown>>
      if (message["control"] === false) onReleased?.()
      onChange((cast) => received(cast, message))
    })
    socket.addEventListener("close", ({ code, reason }) => {
      onReleased?.()
      if (isClosed) return
      if (code === stoppedCode) return onChange((cast) => ({ ...cast, state: "over", reason }))
      onChange(lost)
      timer = window.setTimeout(open, Math.min(10_000, 500 * 2 ** attempts++))
    })
  }
  open()
  const send = (input: Input) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(input))
  }
  return {
    send,
    release: () =>
      new Promise((resolve) => {
        if (socket?.readyState !== WebSocket.OPEN) return resolve(false)
        onReleased = () => resolve(true)
        window.setTimeout(() => resolve(false), release_ms)
        return send(escapeKey)
      }),
    close: () => {
      isClosed = true
      window.clearTimeout(timer)
      socket?.close()
    }
  }
}
