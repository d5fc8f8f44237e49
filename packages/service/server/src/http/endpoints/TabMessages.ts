import type { View } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as LiveScript from "./LiveScript.ts"
import type { ViewerControl } from "./ViewerControl.ts"

interface TabOptions<E> extends Pick<ViewerControl, "driver"> {
  readonly access: "view" | "control" | "driver"
  /** True if the viewer may see only the host of the page. */
  readonly isConcealed: () => boolean
  readonly write: (message: string) => Effect.Effect<void, E>
}

/** Makes the messages about the tab in front: its title, its address and who drives, whenever they have changed. */
export const make = <E>({ access, driver, isConcealed, write }: TabOptions<E>) => {
  let sent = ""
  return Effect.fnUntraced(function* ({ tab }: Pick<View, "tab">) {
    const { address = "", title = "" } = tab ?? {}
    const drives = yield* driver
    const shown = isConcealed()
      ? ({ title: "", address: URL.parse(address)?.host ?? "", control: false, concealed: true } as const)
      : { title, address, control: drives === "you" || (access === "control" && drives === null) }
    const message: LiveScript.Tab = drives === null ? shown : { ...shown, driver: drives }
    const text = JSON.stringify(message)
    if (text === sent) return
    sent = text
    yield* write(text)
  })
}
