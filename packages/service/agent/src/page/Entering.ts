import type { CdpError } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import { innermost } from "./Affecting.ts"
import { Refused } from "./Failures.ts"
import { call, type Frame } from "./Frame.ts"
import { act, type Action, find, frameOf, type Hands, pressed, refuse } from "./Hands.ts"
import * as Keyboard from "./Keyboard.ts"
import { pressOrRefuse } from "./Pressing.ts"
import { unlessStopped } from "./Settle.ts"
import { mainFrame, outerFrames, sourceOf, type Tab } from "./Tab.ts"
import { checkEntered, verified } from "./Verification.ts"
import type { HowFocused } from "./world/Focusing.ts"

/** Options for typing a text. */
export interface TypeOptions {
  /** Keeps what is in the field. */
  readonly append?: boolean
  /** Presses Enter after it. */
  readonly submit?: boolean
}

/** A longer text is inserted at once: key by key would take too long. */
const keys_most = 200

/** Limits how deeply frames can be nested. */
const depth_most = 10

/** Remembers which elements have the focus, from the page down to the innermost frame. */
const rememberFocus = Effect.fnUntraced(function* (tab: Tab, token: number) {
  let at: Frame | undefined = mainFrame(tab)
  for (let depth = 0; at !== undefined && depth < depth_most; depth++) {
    const inner: string | undefined = yield* call(at, "rememberFocus", token)
    at = inner === undefined ? undefined : tab.frames.get(inner)
  }
})

/**
 * Returns the frame that receives keys, and the field there if that isn't the element itself. Refused unless the focus is
 * in a field, and the click put it there or the field belongs to the element.
 */
const focusedField = Effect.fnUntraced(function* (
  tab: Tab,
  frame: Frame,
  index: number,
  token: number,
  how: HowFocused
): Effect.fn.Return<{ readonly field: string; readonly keyed: Frame }, CdpError | Refused> {
  let at: Frame = mainFrame(tab)
  // the keys go to the innermost frame that has the focus
  if (how.focuses && at !== frame) yield* call(frame, "focus", index, how.selects)
  let target = yield* call(at, "focused", at === frame ? index : null, token, how)
  for (let depth = 0; target.frame !== undefined && depth < depth_most; depth++) {
    const inner = tab.frames.get(target.frame)
    if (inner === undefined) break
    at = inner
    target = yield* call(at, "focused", at === frame ? index : null, token, { ...how, focuses: false })
  }
  const { hadFocus, label, relation, takesText } = target
  if (at !== frame && sourceOf(tab, at).origin !== sourceOf(tab, frame).origin) {
    return yield* refuse(
      `Element ${index} was clicked, the focus is in a frame of another site, and nothing was typed. Type into the field there by its number.`
    )
  }
  if (!takesText) {
    return yield* refuse(
      `Element ${index} takes no text. It was clicked, the focus is on ${label}, and nothing was typed. Type into a field by its number, or use \`press\` where the page reads keys.`
    )
  }
  if (relation === "unrelated" && hadFocus && !(yield* call(frame, "isNamedField", index))) {
    return yield* refuse(
      `Element ${index} takes no text. It was clicked, the focus stayed in ${label}, and nothing was typed. Type into that by its number if you want that.`
    )
  }
  return { field: relation === "unrelated" ? label : "", keyed: at }
})

/** Makes the actions that fill in fields. */
export const make = (hands: Hands) => {
  const { client } = hands

  const fromResult = <A>(result: Result.Result<A, string>) =>
    Effect.mapError(Effect.fromResult(result), (message) => new Refused({ message }))

  const type = (index: number, text: string, { append = false, submit = false }: TypeOptions = {}): Action =>
    act(hands, function* (tab) {
      // both are sent in one go
      const [element, { isPassword, text: before, why }] = yield* Effect.all(
        [find(tab, index, true, 1), Effect.flatMap(frameOf(tab, index), (own) => call(own, "fieldOf", index))],
        { concurrency: 2 }
      )
      const { frame, kind } = element
      if (kind === "select") return yield* refuse("This is a select: use `select`.")
      if (kind === "file") return yield* refuse("This chooses files: use `upload`.")
      if (kind === "checkbox") return yield* refuse("This is checked or not: use `check`.")
      if (why !== null) return yield* refuse(why)
      // as a key, a carriage return would be Enter
      const lines = text.replaceAll(/\r\n?/gu, "\n")
      const { isSecret, text: revealed } = yield* fromResult(hands.secrets.reveal(lines, frame.origin))
      if (isSecret) yield* hands.conceal
      let isConcealed = isSecret || isPassword
      const read = call(frame, "textOf", index).pipe(
        Effect.map((now) => {
          // the page may turn a field into one for a password, or back
          isConcealed ||= now.isPassword
          return now.text
        }),
        Effect.orElseSucceed(() => undefined)
      )
      const expected = (append && kind !== "value" ? (before ?? "") : "") + revealed.toWellFormed()
      const { redact } = hands.secrets
      const quote = (now: string) => (isConcealed ? null : JSON.stringify(redact(now).slice(0, 200).toWellFormed()))
      const check = (now: string | null | undefined) => checkEntered(before, revealed, expected, now, quote)
      if (kind === "value") {
        yield* pressed(tab, frame)
        const problem = yield* call(frame, "setValue", index, revealed)
        return problem === null ? yield* check(yield* read) : yield* refuse(problem)
      }
      const token = hands.now()
      if (kind === "other") yield* rememberFocus(tab, token)
      yield* pressOrRefuse(index, element)
      // what is not a field may open the real one
      if (kind === "other") yield* call(frame, "settle", 20, 200)
      // a secret goes into its field without keys
      const { field, keyed } =
        kind === "other" || !isSecret
          ? yield* focusedField(tab, frame, index, token, {
              focuses: kind !== "other",
              guards: true,
              selects: !append
            })
          : { field: "", keyed: frame }
      const { world } = keyed
      // one that was leaving may stay, as for a download
      const staying = [keyed, ...outerFrames(tab, keyed)].filter(({ isLeaving }) => !isLeaving)
      const isThere = () =>
        keyed.world === world && tab.frames.get(keyed.id) === keyed && !staying.some(({ isLeaving }) => isLeaving)
      if (isSecret) {
        const { ok, text: outcome } = yield* call(
          frame,
          "insert",
          kind === "other" ? null : index,
          revealed.toWellFormed(),
          !append,
          frame.origin
        )
        if (!ok) return yield* refuse(outcome)
      } else if (revealed === "" && !append) yield* Keyboard.press(tab.session, [{ key: "Backspace", modifiers: 0 }])
      // some pages only listen to keys, but that of a tab would leave the field
      else if (revealed.length <= keys_most && !/\p{Cc}/u.test(revealed)) {
        yield* Keyboard.press(tab.session, Keyboard.typed(revealed), isThere)
      } else yield* tab.session.send("Input.insertText", { text: revealed.toWellFormed() })
      const lost = Effect.orElseSucceed(call(keyed, "endKeys"), () => null)
      const [lostTo, entered] = yield* Effect.all([lost, read], { concurrency: 2 })
      if (lostTo !== null) {
        return yield* refuse(
          `The focus moved to ${lostTo} while the text was typed. The rest wasn't typed: look at the page.`
        )
      }
      const outcome =
        field === "" ? yield* check(entered) : `Typed into ${redact(field).toWellFormed()}, which took the focus.`
      if (!submit) return outcome
      // the page may have left the field, or emptied it on purpose
      yield* verified(false)
      const moved = (to: string) => refuse(`The text was typed, but the focus moved to ${to}, so Enter wasn't pressed.`)
      if (tab.frames.size > 1 && (yield* innermost(tab, null)) !== keyed) return yield* moved("another frame")
      const focus = { focuses: false, guards: false, selects: false }
      const now = yield* Effect.catchTag(
        call(keyed, "focused", keyed === frame ? index : null, token, focus),
        "Refused",
        () => moved("something else")
      )
      if (!now.takesText && now.relation !== "same") return yield* moved(now.label)
      yield* unlessStopped(client, tab, Keyboard.press(tab.session, [{ key: "Enter", modifiers: 0 }]))
      return outcome
    })

  const pressKeys = (keys: string): Action =>
    act(hands, function* (tab) {
      const { world } = mainFrame(tab)
      const strokes = yield* fromResult(Keyboard.parse(keys))
      yield* Keyboard.press(tab.session, strokes, () => mainFrame(tab).world === world)
      return "Pressed."
    })

  return { type, press: pressKeys }
}
