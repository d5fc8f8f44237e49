import * as Option from "effect/Option"
import * as Atom from "effect/reactivity/Atom"
import * as Schema from "effect/Schema"

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

/** Most entries of a list that is kept in this browser. */
const mostKept = 50

/**
 * A list that is kept in this browser, newest first, and shared by its tabs. Entries that can't be read, for example because
 * another version wrote them, are left out.
 */
export const keptList = <A>(
  name: string,
  schema: Schema.Codec<A, unknown>
): Atom.Writable<ReadonlyArray<A>, ReadonlyArray<A>> => {
  const decodeList = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.Unknown)))
  const decode = Schema.decodeUnknownOption(schema)
  const current = () =>
    Option.getOrElse(decodeList(read(name) ?? "[]"), (): ReadonlyArray<unknown> => []).flatMap((entry) =>
      Option.toArray(decode(entry))
    )
  return Atom.writable<ReadonlyArray<A>, ReadonlyArray<A>>(
    (get) => {
      const update = ({ key }: StorageEvent) => (key === `${storage}-${name}` ? get.setSelf(current()) : undefined)
      window.addEventListener("storage", update)
      get.addFinalizer(() => window.removeEventListener("storage", update))
      return current()
    },
    (context, next) => {
      const kept = next.slice(0, mostKept)
      write(name, JSON.stringify(kept))
      context.setSelf(kept)
    }
  ).pipe(Atom.keepAlive)
}
