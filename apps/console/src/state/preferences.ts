import * as Atom from "effect/reactivity/Atom"

/** The color themes; `system` follows the operating system. */
export const themes = ["system", "light", "dark"] as const

export type Theme = (typeof themes)[number]

const storage = "webagent-console"

const read = (name: string): string | null => {
  try {
    return localStorage.getItem(`${storage}-${name}`)
  } catch {
    return null // storage may be turned off
  }
}

const write = (name: string, value: string): void => {
  try {
    localStorage.setItem(`${storage}-${name}`, value)
  } catch {
    // the choice holds for this page
  }
}

const show = (theme: Theme): Theme => {
  document.documentElement.dataset["theme"] = theme
  return theme
}

/** The chosen theme, kept in this browser. */
export const theme: Atom.Writable<Theme, Theme> = Atom.writable<Theme, Theme>(
  () => show(themes.find((one) => one === read("theme")) ?? "system"),
  (context, next) => {
    write("theme", next)
    context.setSelf(show(next))
  }
).pipe(Atom.keepAlive)

/** True if single letters are shortcuts, kept in this browser. */
export const letterKeys: Atom.Writable<boolean, boolean> = Atom.writable<boolean, boolean>(
  () => read("letter-keys") !== "off",
  (context, next) => {
    write("letter-keys", next ? "on" : "off")
    context.setSelf(next)
  }
).pipe(Atom.keepAlive)
