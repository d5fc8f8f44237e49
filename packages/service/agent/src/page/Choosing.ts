import * as Effect from "effect/Effect"
import { call, objectOf } from "./Frame.ts"
import { act, type Action, fileNamed, find, type Hands, pressed, refuse } from "./Hands.ts"
import { pressOrRefuse } from "./Pressing.ts"
import type { Tab } from "./Tab.ts"
import { verified } from "./Verification.ts"

/** The longest that a page may take to ask for files. */
const chooser_ms = 2000

/** Makes the actions that choose options, states and files. */
export const make = (hands: Hands) => {
  const { files } = hands

  const select = (index: number, values: ReadonlyArray<string>): Action =>
    act(hands, function* (tab) {
      const { frame } = yield* find(tab, index, false)
      const { ok, text } = yield* call(frame, "choose", index, values)
      if (!ok) return yield* refuse(text)
      // a page that leaves at the choice can't be read any more
      const read = Effect.orElseSucceed(call(frame, "chosen", index), () => null)
      const atOnce = yield* read
      return Effect.gen(function* () {
        const now = (yield* read) ?? atOnce
        yield* verified(now === text)
        return now === null || now === text
          ? `Selected ${text}.`
          : `Selected ${text}; the page then changed it to ${now}.`
      })
    })

  const check = (index: number, checked: boolean): Action => {
    const state = checked ? "checked" : "not checked"
    return act(hands, function* (tab) {
      const element = yield* find(tab, index, true, 1)
      const isChecked = call(element.frame, "isChecked", index)
      if ((yield* isChecked) === checked) {
        yield* pressed(tab, element.frame)
        return `It is ${state} already.`
      }
      yield* pressOrRefuse(index, element)
      const read = Effect.orElseSucceed(isChecked, () => undefined)
      // pages that draw their own take a moment
      const now =
        (yield* read) === checked ? checked : yield* Effect.andThen(call(element.frame, "settle", 20, 200), read)
      if (now === undefined) return yield* refuse(`The page left when element ${index} was clicked. Look at the page.`)
      if (now === null) return yield* refuse(`Element ${index} was clicked, but it can't be checked. Look at the page.`)
      if (now !== checked) return yield* refuse(`It is still not ${state}.`)
      return Effect.flatMap(read, (later) =>
        later === !checked
          ? refuse(`It was ${state}, and then the page changed it back.`)
          : Effect.succeed(`It is ${state} now.`)
      )
    })
  }

  /** Clicks an element that has the page ask for files, and returns the field that it asks for. */
  const chooserOf = Effect.fnUntraced(function* (tab: Tab, index: number) {
    const element = yield* find(tab, index, true, 1)
    const { session } = element.frame
    const { chooser: before } = tab
    const choosing = hands.client.until(() => tab.chooser !== before)
    const clicked = Effect.andThen(pressOrRefuse(index, element), Effect.timeoutOption(choosing, chooser_ms))
    // before the click, which takes another way to the page
    yield* Effect.andThen(session.send("Page.setInterceptFileChooserDialog", { enabled: true }), clicked).pipe(
      // without waiting: a page that asks a question meanwhile responds to nothing
      Effect.ensuring(Effect.sync(() => session.post("Page.setInterceptFileChooserDialog", { enabled: false })))
    )
    const { chooser } = tab
    if (chooser === undefined || chooser === before) {
      return yield* refuse(`Element ${index} was clicked, and it asked for no files. Look at the page.`)
    }
    const { backendNodeId, mode } = chooser
    // a picker of files may belong to no field
    return backendNodeId === undefined
      ? yield* refuse(`Element ${index} was clicked. It asks for files in a way that takes none from here.`)
      : { backendNodeId, mode }
  })

  const upload = (index: number, names: ReadonlyArray<string>): Action =>
    act(
      hands,
      function* (tab) {
        const chosen = yield* Effect.forEach(names, (name) => fileNamed(hands, name), { concurrency: "unbounded" })
        const missing = names.filter((_, at) => chosen[at] === undefined)
        if (missing.length > 0) {
          const fileNames = files().map(({ name }) => name)
          return yield* refuse(
            `The task has no file ${missing.join(", ")}. It has ${fileNames.length === 0 ? "none" : fileNames.join(", ")}.`
          )
        }
        const { frame, kind } = yield* find(tab, index, false)
        const chooser = kind === "file" ? undefined : yield* chooserOf(tab, index)
        const takesMore =
          chooser === undefined ? yield* call(frame, "takesFiles", index) : chooser.mode === "selectMultiple"
        if (names.length > 1 && !takesMore) return yield* refuse("This field takes one file.")
        const target =
          chooser === undefined
            ? { objectId: (yield* objectOf(frame, "element", index)) ?? "" }
            : { backendNodeId: chooser.backendNodeId }
        yield* frame.session.send("DOM.setFileInputFiles", {
          files: chosen.flatMap((file) => (file === undefined ? [] : [file.path])),
          ...target
        })
        // pages that take the files at once empty their field
        const now = Effect.orElseSucceed(call(frame, "textOf", index), () => ({ text: "" }))
        yield* verified(chooser === undefined && (yield* now).text !== "")
        return `Chose ${names.join(", ")}.`
      },
      "The page asks something now: answer it, then check whether the files were chosen."
    )

  return { select, check, upload }
}
