import type { CdpError, CdpSession } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Refused } from "./Failures.ts"

/** A key, with the modifiers that are held. */
interface Stroke {
  readonly key: string
  readonly modifiers: number
}

interface Key {
  readonly code: string
  readonly number: number
  readonly text?: string
}

const named: Readonly<Record<string, Key>> = {
  Enter: { code: "Enter", number: 13, text: "\r" },
  Tab: { code: "Tab", number: 9 },
  Escape: { code: "Escape", number: 27 },
  Backspace: { code: "Backspace", number: 8 },
  Delete: { code: "Delete", number: 46 },
  ArrowLeft: { code: "ArrowLeft", number: 37 },
  ArrowUp: { code: "ArrowUp", number: 38 },
  ArrowRight: { code: "ArrowRight", number: 39 },
  ArrowDown: { code: "ArrowDown", number: 40 },
  Home: { code: "Home", number: 36 },
  End: { code: "End", number: 35 },
  PageUp: { code: "PageUp", number: 33 },
  PageDown: { code: "PageDown", number: 34 },
  Space: { code: "Space", number: 32, text: " " },
  Insert: { code: "Insert", number: 45 },
  ContextMenu: { code: "ContextMenu", number: 93 },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, { code: `F${at + 1}`, number: 112 + at }] as const)
  )
}

const modifierBits: Readonly<Record<string, number>> = { Alt: 1, Control: 2, Ctrl: 2, Meta: 4, Command: 4, Shift: 8 }

/** With these a key is a command, and makes no text. */
const commanding = 2 | 4

/** Only letters and digits have their own number: "." as one would be Delete, "-" Insert, "(" ArrowDown. */
const keyOf = (key: string): Key => {
  const isLetter = /^[a-z]$/iu.test(key)
  const isDigit = /^\d$/u.test(key)
  const upper = key.toUpperCase()
  return {
    code: isLetter ? `Key${upper}` : isDigit ? `Digit${key}` : "",
    number: isLetter || isDigit ? upper.charCodeAt(0) : 0,
    text: key
  }
}

const eventsOf = ({ key, modifiers }: Stroke) => {
  const { code, number, text: typed } = named[key] ?? keyOf(key)
  const isCommand = (modifiers & commanding) !== 0
  const about = { key: key === "Space" ? " " : key, code, windowsVirtualKeyCode: number, modifiers }
  const text = isCommand ? undefined : typed
  return {
    down: {
      ...about,
      type: text === undefined ? ("rawKeyDown" as const) : ("keyDown" as const),
      ...(text === undefined ? {} : { text, unmodifiedText: text })
    },
    up: { ...about, type: "keyUp" as const }
  }
}

/** Presses keys one after the other while their document is there. A dialog that opens at one takes no others. */
export const press = Effect.fnUntraced(function* (
  { post, send }: CdpSession,
  strokes: ReadonlyArray<Stroke>,
  isThere = () => true
): Effect.fn.Return<void, CdpError | Refused> {
  for (const [at, stroke] of strokes.entries()) {
    if (!isThere()) {
      return yield* new Refused({
        message: `The page left after ${at} of ${strokes.length} keys, and the others weren't pressed. Look at the page.`
      })
    }
    const { down, up } = eventsOf(stroke)
    post("Input.dispatchKeyEvent", down)
    yield* send("Input.dispatchKeyEvent", up)
  }
})

/** Types a text without control characters key by key. */
export const typed = (text: string): ReadonlyArray<Stroke> => Array.from(text, (key) => ({ key, modifiers: 0 }))

/** Reads keys such as `Control+a Delete`; a failure says what is wrong. */
export const parse = (keys: string): Result.Result<ReadonlyArray<Stroke>, string> => {
  const strokes: Array<Stroke> = []
  for (const chord of keys.split(/\s+/u).filter((one) => one !== "")) {
    const parts = chord === "+" ? ["+"] : chord.replace(/\+\+$/u, "+Plus").split("+")
    const key = parts.at(-1) === "Plus" ? "+" : (parts.at(-1) ?? "")
    const unknown = parts.slice(0, -1).find((one) => modifierBits[one] === undefined)
    const isKnown = named[key] !== undefined || Array.from(key).length === 1
    if (unknown !== undefined || !isKnown) {
      const what = JSON.stringify(unknown ?? key)
      return Result.fail(
        `There is no key ${what}. Use ${[...Object.keys(named).filter((name) => !/^F\d/u.test(name)), "F1 to F12"].join(", ")} or a letter, with Control+, Shift+, Alt+ or Meta+ before it.`
      )
    }
    strokes.push({ key, modifiers: parts.slice(0, -1).reduce((bits, one) => bits | (modifierBits[one] ?? 0), 0) })
  }
  return strokes.length === 0 ? Result.fail("Name at least one key, such as Enter.") : Result.succeed(strokes)
}
