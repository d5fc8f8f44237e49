import * as Effect from "effect/Effect"
import { call, objectOf } from "./Frame.ts"
import { act, type Action, fileNamed, find, type Hands, pressed, refuse } from "./Hands.ts"
import { pressOrRefuse } from "./Pressing.ts"
import { verified } from "./Verification.ts"

/** Makes the actions that choose options, states and files. */
export const make = (hands: Hands) => {
  const { files } = hands

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
        const element = yield* find(tab, index, true, 1)
        const isChecked = call(element.frame, "isChecked", index)
        if ((yield* isChecked) === checked) {
          yield* pressed(tab, element.frame)
          return `It is ${state} already.`
        }
        yield* pressOrRefuse(index, element)
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
        if (names.length > 1 && !(yield* call(frame, "takesFiles", index))) {
          return yield* refuse("This field takes one file.")
        }
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

  return { select, check, upload }
}
