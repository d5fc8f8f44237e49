/**
 * Decides when a tab is captured and which pictures are shown. Chromium's screencast costs nothing while a page is
 * still, but it drops frames: the last picture of a burst may never come, and a page that animates keeps a core busy
 * with it. So frames are a signal of change. A page that changes all the time is polled instead, and after every
 * change one capture of a quiet page corrects what the screencast dropped.
 *
 * A picture is the base64 text of a JPEG, as CDP gives it: two are equal when their texts are.
 */

/** The most pictures a second that viewers get. */
const fps = 6

/** More changes than this within a second, and the page is polled. */
const changesPerSecond = 12

/** Number of captures per second of an animating page. */
const pollsPerSecond = 5

/** A polled page whose captures are equal this many times is still again. */
const equalCaptures = 4

/** Time without changes before a page is captured. */
const quiet_ms = 180

/** A capture makes the screencast send a frame. The first that comes this soon after a capture is taken for its echo. */
const echo_ms = 120

/** The longest wait for the capture after an echo, which may hide a change. It begins with `quiet_ms` and doubles. */
const longestQuiet_ms = 30_000

/** Signal from a tab, or from a timer. */
export type Signal =
  | { readonly _tag: "Changed"; readonly picture: string }
  | { readonly _tag: "Captured"; readonly picture: string }
  | { readonly _tag: "CaptureFailed" }
  | { readonly _tag: "Woken" }

/** Next action of the cast. */
export type Action =
  | { readonly _tag: "Show"; readonly picture: string }
  | { readonly _tag: "Capture" }
  | { readonly _tag: "StartScreencast" }
  | { readonly _tag: "StopScreencast" }

export interface Pacing {
  readonly mode: "screencast" | "polling"
  /** When the page changed within the last second, without echoes. */
  readonly changes: ReadonlyArray<number>
  readonly shown: string | null
  readonly shownAt_ms: number
  /** The last frame. One that is equal to it shows nothing new: the same page is the same JPEG. */
  readonly frame: string | null
  /** The newest frame, which waits until a picture may be shown again. */
  readonly waiting: string | null
  /** When a capture begins; null when none is due. */
  readonly captureAt_ms: number | null
  readonly isCapturing: boolean
  readonly captureBegan_ms: number
  readonly captureEnded_ms: number
  /** True if the echo of the last capture may still arrive. */
  readonly isEchoDue: boolean
  readonly captured: string | null
  /** Number of consecutive captures that were equal to the one before. */
  readonly equal: number
  readonly quiet_ms: number
}

/** A tab whose screencast has just been started. A tab that sends no first frame is captured, so every cast has a picture. */
export const start = (now_ms: number): Pacing => ({
  mode: "screencast",
  changes: [],
  shown: null,
  shownAt_ms: -Infinity,
  frame: null,
  waiting: null,
  captureAt_ms: now_ms + quiet_ms,
  isCapturing: false,
  captureBegan_ms: -Infinity,
  captureEnded_ms: -Infinity,
  isEchoDue: false,
  captured: null,
  equal: 0,
  quiet_ms
})

/** When `Woken` is due: the next time at which something happens by itself. */
export const wakeAt_ms = (pacing: Pacing): number =>
  Math.min(
    pacing.waiting === null ? Infinity : pacing.shownAt_ms + 1000 / fps,
    pacing.captureAt_ms === null || pacing.isCapturing ? Infinity : pacing.captureAt_ms
  )

type Moved = readonly [pacing: Pacing, actions: ReadonlyArray<Action>]

const screencastAgain = (pacing: Pacing, now_ms: number): Moved => [
  { ...pacing, mode: "screencast", changes: [], equal: 0, quiet_ms, captureAt_ms: now_ms + quiet_ms },
  [{ _tag: "StartScreencast" }]
]

const changed = (pacing: Pacing, picture: string, now_ms: number): Moved => {
  // frames that were under way when the screencast was stopped
  if (pacing.mode === "polling") return [pacing, []]
  const isEcho = pacing.isEchoDue && (pacing.isCapturing || now_ms - pacing.captureEnded_ms < echo_ms)
  const recent = pacing.changes.filter((at_ms) => at_ms > now_ms - 1000)
  const changes = isEcho ? recent : [...recent, now_ms]
  if (changes.length > changesPerSecond) {
    return [
      { ...pacing, mode: "polling", changes: [], frame: null, waiting: null, equal: 0, captureAt_ms: now_ms },
      [{ _tag: "StopScreencast" }]
    ]
  }
  const wait_ms = isEcho ? Math.min(2 * pacing.quiet_ms, longestQuiet_ms) : quiet_ms
  const captureAt_ms = now_ms + wait_ms
  const waiting = picture === pacing.frame ? pacing.waiting : picture
  return [{ ...pacing, changes, frame: picture, waiting, quiet_ms: wait_ms, captureAt_ms, isEchoDue: false }, []]
}

const captured = (pacing: Pacing, picture: string, now_ms: number): Moved => {
  const equal = picture === pacing.captured ? pacing.equal + 1 : 0
  const isNew = picture !== pacing.shown
  const next: Pacing = {
    ...pacing,
    equal,
    captured: picture,
    isCapturing: false,
    captureEnded_ms: now_ms,
    waiting: null,
    shown: picture,
    shownAt_ms: isNew ? now_ms : pacing.shownAt_ms
  }
  const show: ReadonlyArray<Action> = isNew ? [{ _tag: "Show", picture }] : []
  if (pacing.mode === "screencast") return [next, show]
  if (equal >= equalCaptures) return screencastAgain(next, now_ms)
  return [{ ...next, captureAt_ms: Math.max(now_ms, pacing.captureBegan_ms + 1000 / pollsPerSecond) }, show]
}

const captureFailed = (pacing: Pacing, now_ms: number): Moved => {
  const next: Pacing = { ...pacing, isCapturing: false, captureEnded_ms: now_ms }
  if (pacing.mode === "polling") return screencastAgain(next, now_ms)
  const wait_ms = Math.min(2 * pacing.quiet_ms, longestQuiet_ms)
  return [{ ...next, quiet_ms: wait_ms, captureAt_ms: pacing.captureAt_ms ?? now_ms + wait_ms }, []]
}

const afterSignal = (pacing: Pacing, signal: Signal, now_ms: number): Moved => {
  switch (signal._tag) {
    case "Changed":
      return changed(pacing, signal.picture, now_ms)
    case "Captured":
      return captured(pacing, signal.picture, now_ms)
    case "CaptureFailed":
      return captureFailed(pacing, now_ms)
    case "Woken":
      return [pacing, []]
  }
}

const due = (pacing: Pacing, now_ms: number): Moved => {
  const { captureAt_ms, waiting } = pacing
  const shows = waiting !== null && now_ms >= pacing.shownAt_ms + 1000 / fps ? waiting : null
  const captures = captureAt_ms !== null && captureAt_ms <= now_ms && !pacing.isCapturing
  return [
    {
      ...pacing,
      ...(shows === null ? {} : { waiting: null, shown: shows, shownAt_ms: now_ms }),
      ...(captures ? { captureAt_ms: null, isCapturing: true, captureBegan_ms: now_ms, isEchoDue: true } : {})
    },
    [
      ...(shows === null || shows === pacing.shown ? [] : [{ _tag: "Show", picture: shows } as const]),
      ...(captures ? [{ _tag: "Capture" } as const] : [])
    ]
  ]
}

/** Computes the next state and actions from a signal, including those that are due by now. */
export const move = (pacing: Pacing, signal: Signal, now_ms: number): Moved => {
  const [after, first] = afterSignal(pacing, signal, now_ms)
  const [next, then] = due(after, now_ms)
  return [next, [...first, ...then]]
}
