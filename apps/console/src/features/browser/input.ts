/** Input of a person for a browser, as its live page's WebSocket takes it. */
export type Input =
  | {
      readonly _tag: "Mouse"
      readonly action: "pressed" | "released" | "moved"
      readonly x: number
      readonly y: number
      readonly button: string
      readonly buttons: number
      readonly clicks: number
      readonly modifiers: number
    }
  | {
      readonly _tag: "Wheel"
      readonly x: number
      readonly y: number
      readonly deltaX: number
      readonly deltaY: number
      readonly modifiers: number
    }
  | {
      readonly _tag: "Key"
      readonly action: "pressed" | "released"
      readonly key: string
      readonly code: string
      readonly keyCode: number
      readonly modifiers: number
    }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Address"; readonly address: string }

interface Modified {
  readonly altKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
}

/** Held modifier keys, as CDP counts them. */
export const modifiersOf = ({ altKey, ctrlKey, metaKey, shiftKey }: Modified): number =>
  (altKey ? 1 : 0) | (ctrlKey ? 2 : 0) | (metaKey ? 4 : 0) | (shiftKey ? 8 : 0)

/** Position of a pointer on the picture, from 0 to 1 on each axis. */
export const placeOf = (
  { clientX, clientY }: Pick<MouseEvent, "clientX" | "clientY">,
  { height, left, top, width }: Pick<DOMRect, "height" | "left" | "top" | "width">
): { readonly x: number; readonly y: number } => ({
  x: Math.min(1, Math.max(0, (clientX - left) / width)),
  y: Math.min(1, Math.max(0, (clientY - top) / height))
})

const buttons = ["left", "middle", "right", "back", "forward"]

/** Longest pause and distance between the clicks of a double click. */
const doubleClick = { pause_ms: 500, distance_px: 6 }

/** Pixels of a line, for a mouse wheel that counts in lines. */
const line_px = 40

/** Sends the mouse and keyboard input on a canvas until the returned function is called. */
export const forwardInput = (
  canvas: HTMLCanvasElement,
  keys: HTMLTextAreaElement,
  send: (input: Input) => void
): (() => void) => {
  const listening = new AbortController()
  const { signal } = listening
  let last = { at_ms: Number.NEGATIVE_INFINITY, x: 0, y: 0, clicks: 0 }
  let moved: PointerEvent | undefined
  const mouse = (action: "pressed" | "released" | "moved", event: PointerEvent, button: string, clicks: number) =>
    send({
      _tag: "Mouse",
      action,
      ...placeOf(event, canvas.getBoundingClientRect()),
      button,
      buttons: event.buttons & 31,
      clicks,
      modifiers: modifiersOf(event)
    })
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      event.preventDefault()
      keys.focus({ preventScroll: true })
      canvas.setPointerCapture(event.pointerId)
      const isAgain =
        event.timeStamp - last.at_ms < doubleClick.pause_ms &&
        Math.hypot(event.clientX - last.x, event.clientY - last.y) < doubleClick.distance_px
      const clicks = isAgain ? Math.min(3, last.clicks + 1) : 1
      last = { at_ms: event.timeStamp, x: event.clientX, y: event.clientY, clicks }
      mouse("pressed", event, buttons[event.button] ?? "none", clicks)
    },
    { signal }
  )
  canvas.addEventListener(
    "pointerup",
    (event) => mouse("released", event, buttons[event.button] ?? "none", last.clicks),
    { signal }
  )
  canvas.addEventListener(
    "pointermove",
    (event) => {
      // a page shows one move per frame at most
      if (moved === undefined) {
        requestAnimationFrame(() => {
          if (moved !== undefined && !signal.aborted) mouse("moved", moved, "none", 0)
          moved = undefined
        })
      }
      moved = event
    },
    { signal }
  )
  canvas.addEventListener("contextmenu", (event) => event.preventDefault(), { signal })
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault()
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? line_px : 1
      send({
        _tag: "Wheel",
        ...placeOf(event, canvas.getBoundingClientRect()),
        deltaX: event.deltaX * unit,
        deltaY: event.deltaY * unit,
        modifiers: modifiersOf(event)
      })
    },
    { signal, passive: false }
  )
  const key = (action: "pressed" | "released") => (event: KeyboardEvent) => {
    // Esc releases the browser; pasted and composed text arrives as an input event
    if (event.key === "Escape" || event.isComposing || event.keyCode === 229) return
    // a paste, and the key of the address field
    if ((event.ctrlKey || event.metaKey) && /^[lv]$/iu.test(event.key)) return
    event.preventDefault()
    send({
      _tag: "Key",
      action,
      key: event.key.slice(0, 32),
      code: event.code.slice(0, 32),
      keyCode: event.keyCode,
      modifiers: modifiersOf(event)
    })
  }
  keys.addEventListener("keydown", key("pressed"), { signal })
  keys.addEventListener("keyup", key("released"), { signal })
  const typed = () => {
    if (keys.value !== "") send({ _tag: "Text", text: keys.value })
    keys.value = ""
  }
  keys.addEventListener("input", (event) => ((event as InputEvent).isComposing ? undefined : typed()), { signal })
  keys.addEventListener("compositionend", typed, { signal })
  return () => listening.abort()
}
