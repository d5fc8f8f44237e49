import type { CdpError } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import { innermost } from "./Affecting.ts"
import { Refused } from "./Failures.ts"
import { call, type Frame, objectOf } from "./Frame.ts"
import { act, type Action, fileNamed, find, type Hands, locate, outerFrames, refuse } from "./Hands.ts"
import * as Keyboard from "./Keyboard.ts"
import { press, unclicked } from "./Pressing.ts"
import { unlessStopped } from "./Settle.ts"
import { mainFrame, type Tab } from "./Tab.ts"
import { checkEntered, verified } from "./Verification.ts"

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

/** Returns the site of a frame. A frame without an address of its own belongs to the site around it. */
const siteOf = (tab: Tab, frame: Frame): string =>
  ([frame, ...outerFrames(tab, frame)].find(({ url }) => !/^(?:about:|$)/u.test(url)) ?? frame).origin

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
  selects: boolean
): Effect.fn.Return<{ readonly field: string; readonly keyed: Frame }, CdpError | Refused> {
  let at: Frame = mainFrame(tab)
  let target = yield* call(at, "focused", at === frame ? index : null, token, selects)
  for (let depth = 0; target.frame !== undefined && depth < depth_most; depth++) {
    const inner = tab.frames.get(target.frame)
    if (inner === undefined) break
    at = inner
    target = yield* call(at, "focused", at === frame ? index : null, token, selects)
  }
  const { hadFocus, label, relation, takesText } = target
  if (at !== frame && siteOf(tab, at) !== siteOf(tab, frame)) {
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

/** Clicks an element. Refused if something else takes its place when the mouse comes. */
const pressOrRefuse = Effect.fnUntraced(function* (tab: Tab, index: number) {
  const outcome = yield* press(index, yield* locate(tab, index, true, 1))
  // of any other outcome, the focus or the state of the element tells more
  if (outcome === "missed") return yield* refuse(unclicked(index, outcome) ?? "")
})

/** Makes the actions that fill in fields. */
export const make = (hands: Hands) => {
  const { files, client } = hands

  const fromResult = <A>(result: Result.Result<A, string>) =>
    Effect.mapError(Effect.fromResult(result), (message) => new Refused({ message }))

  const type = (index: number, text: string, { append = false, submit = false }: TypeOptions = {}): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const { frame, kind } = yield* find(tab, index)
        if (kind === "select") return yield* refuse("This is a select: use `select`.")
        if (kind === "file") return yield* refuse("This chooses files: use `upload`.")
        if (kind === "checkbox") return yield* refuse("This is checked or not: use `check`.")
        const why = yield* call(frame, "whyNotText", index)
        if (why !== null) return yield* refuse(why)
        // as a key, a carriage return would be Enter
        const lines = text.replaceAll(/\r\n?/gu, "\n")
        const { isSecret, text: revealed } = yield* fromResult(hands.secrets.reveal(lines, frame.origin))
        if (isSecret) yield* hands.conceal
        let isConcealed = isSecret
        const read = call(frame, "textOf", index).pipe(
          Effect.map((now) => {
            // the page may turn a field into one for a password, or back
            isConcealed ||= now.isPassword
            return now.text
          }),
          Effect.orElseSucceed(() => null)
        )
        const before = yield* read
        const expected = (append && kind !== "value" ? (before ?? "") : "") + revealed.toWellFormed()
        const { redact } = hands.secrets
        const quote = (now: string) => (isConcealed ? null : JSON.stringify(redact(now).slice(0, 200).toWellFormed()))
        const check = Effect.flatMap(read, (now) => checkEntered(before, revealed, expected, now, quote))
        if (kind === "value") {
          const problem = yield* call(frame, "setValue", index, revealed)
          return problem === null ? yield* check : yield* refuse(problem)
        }
        const token = hands.now()
        if (kind === "other") yield* rememberFocus(tab, token)
        yield* pressOrRefuse(tab, index)
        // what is not a field may open the real one
        if (kind === "other") yield* call(frame, "settle", 20, 200)
        else if (!isSecret) yield* call(frame, "focus", index, !append)
        // a secret goes into its field without keys
        const { field, keyed } =
          kind === "other" || !isSecret
            ? yield* focusedField(tab, frame, index, token, kind === "other" && !append)
            : { field: "", keyed: frame }
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
          yield* Keyboard.press(tab.session, Keyboard.typed(revealed))
        } else yield* tab.session.send("Input.insertText", { text: revealed.toWellFormed() })
        const outcome =
          field === "" ? yield* check : `Typed into ${redact(field).toWellFormed()}, which took the focus.`
        if (!submit) return outcome
        // the page may have left the field, or emptied it on purpose
        yield* verified(false)
        if (tab.frames.size > 1 && (yield* innermost(tab, null)) !== keyed) {
          return yield* refuse("The text was typed, but the focus moved to another frame, so Enter wasn't pressed.")
        }
        yield* unlessStopped(client, tab, Keyboard.press(tab.session, [{ key: "Enter", modifiers: 0 }]))
        return outcome
      })
    )

  const pressKeys = (keys: string): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        yield* Keyboard.press(tab.session, yield* fromResult(Keyboard.parse(keys)))
        return "Pressed."
      })
    )

  const select = (index: number, values: ReadonlyArray<string>): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const { frame } = yield* find(tab, index, false)
        const { ok, text } = yield* call(frame, "choose", index, values)
        if (!ok) return yield* refuse(text)
        // a page that leaves at the choice can't be read any more
        const now = yield* Effect.orElseSucceed(call(frame, "chosen", index), () => null)
        yield* verified(now === text)
        return now === null || now === text
          ? `Selected ${text}.`
          : `Selected ${text}; the page then changed it to ${now}.`
      })
    )

  const check = (index: number, checked: boolean): Action => {
    const state = checked ? "checked" : "not checked"
    return act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const element = yield* find(tab, index)
        const isChecked = call(element.frame, "isChecked", index)
        if ((yield* isChecked) === checked) return `It is ${state} already.`
        yield* pressOrRefuse(tab, index)
        const read = Effect.orElseSucceed(isChecked, () => null)
        // pages that draw their own take a moment
        const now =
          (yield* read) === checked ? checked : yield* Effect.andThen(call(element.frame, "settle", 20, 200), read)
        if (now === null) return yield* refuse(`The page left when element ${index} was clicked. Look at the page.`)
        return now === checked ? `It is ${state} now.` : yield* refuse(`It is still not ${state}.`)
      })
    )
  }

  const upload = (index: number, names: ReadonlyArray<string>): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const chosen = yield* Effect.forEach(names, (name) => fileNamed(hands, name), { concurrency: "unbounded" })
        const missing = names.filter((_, at) => chosen[at] === undefined)
        if (missing.length > 0) {
          const fileNames = files().map(({ name }) => name)
          return yield* refuse(
            `The task has no file ${missing.join(", ")}. It has ${fileNames.length === 0 ? "none" : fileNames.join(", ")}.`
          )
        }
        const { frame, kind } = yield* find(tab, index, false)
        if (kind !== "file") return yield* refuse("This does not choose files.")
        const objectId = yield* objectOf(frame, "element", index)
        yield* frame.session.send("DOM.setFileInputFiles", {
          files: chosen.flatMap((file) => (file === undefined ? [] : [file.path])),
          objectId: objectId ?? ""
        })
        // pages that take the files at once empty their field
        yield* verified((yield* Effect.orElseSucceed(call(frame, "textOf", index), () => ({ text: "" }))).text !== "")
        return `Chose ${names.join(", ")}.`
      })
    )

  return { type, press: pressKeys, select, check, upload }
}
