import { FileQuestion, Keyboard, type LucideIcon, Menu, Monitor, Moon, Search, Sun } from "lucide-react"
import { type ComponentType, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react"
import icon from "../ui/icon.svg"
import { connection, offline } from "../state/connection.ts"
import { go, path, titleOf } from "../state/place.ts"
import { theme, themes } from "../state/preferences.ts"
import { registry, useAtom, useAtomValue } from "../state/react.ts"
import { clockTime } from "../ui/format.ts"
import { Link } from "../ui/Link.tsx"
import { Loading, Message } from "../ui/Message.tsx"
import { Notice } from "../ui/Notice.tsx"
import { focusHeading } from "./arrival.ts"
import { Boundary } from "./Boundary.tsx"
import type { Action } from "./Palette.tsx"
import styles from "./Shell.module.css"
import { useShortcuts } from "./shortcuts.ts"

/** An entry of the navigation. */
export interface Entry {
  readonly to: string
  readonly text: string
  readonly icon: LucideIcon
  /** The letter after `g`. */
  readonly key: string
}

/** A screen, and the id in its address. */
export interface Shown {
  readonly title: string
  readonly screen: ComponentType<{ readonly id: string }>
  readonly id: string
  /** The keys of the screen. */
  readonly keys?: ReadonlyArray<ScreenKey>
}

/** A key of a screen, and what it does. */
export type ScreenKey = readonly [key: string, text: string]

export interface HelpProps {
  readonly entries: ReadonlyArray<Entry>
  /** The screen in view, and its keys. */
  readonly shown: Pick<Shown, "keys" | "title"> | undefined
  readonly onClose: () => void
}

/** The dialogs of a frame. A page that is one file has none. */
export interface Dialogs {
  readonly Palette: ComponentType<{ readonly actions: ReadonlyArray<Action>; readonly onClose: () => void }>
  readonly Help: ComponentType<HelpProps>
}

const connectionTexts = { connecting: "Connecting…", live: "Live", lost: "Offline" } as const
const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const
const themeTexts = { system: "System theme", light: "Light theme", dark: "Dark theme" } as const

/** State of the connection that brings events. */
export const ConnectionState = () => {
  const state = useAtomValue(connection)
  return (
    <span role="status" className={styles["connection"]} data-state={state}>
      {connectionTexts[state]}
    </span>
  )
}

/** Says that the screen is no longer up to date, because the server doesn't respond. */
const Offline = () => {
  const at_ms = useAtomValue(offline)
  return (
    <div role="status">
      {at_ms === undefined ? null : (
        <p className={styles["offline"]}>
          The server isn't responding, so buttons that need it are disabled. Data is from {clockTime(at_ms)}.
          Reconnecting…
        </p>
      )}
    </div>
  )
}

const ThemeChoice = () => {
  const [chosen, choose] = useAtom(theme)
  return (
    <div className={styles["theme"]} role="group" aria-label="Theme">
      {themes.map((one) => {
        const Icon = themeIcons[one]
        return (
          <button
            key={one}
            type="button"
            aria-label={themeTexts[one]}
            aria-pressed={one === chosen}
            onClick={() => choose(one)}
          >
            <Icon aria-hidden />
          </button>
        )
      })}
    </div>
  )
}

interface ContentProps {
  readonly shown: Shown | undefined
  /** The reason why there may be no such screen. */
  readonly missing: string
  readonly home: readonly [to: string, text: string]
}

const Content = ({ home, missing, shown }: ContentProps) => {
  const at = useAtomValue(path)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const title = shown?.title ?? "Not found"
  // before the effects of the screen, which may have a better one
  useLayoutEffect(() => {
    document.title = titleOf(title)
  }, [at, title])
  useEffect(() => {
    // a screen reader, and the next Tab, start at the new screen, unless one of its fields took the focus
    const { activeElement: focused } = document
    // the screen before is hidden, and has the focus, while the files of the new one are loaded
    const hasFocus = (main.current?.contains(focused) ?? false) && (focused?.checkVisibility() ?? false)
    const isArrival = !isFirst.current && !hasFocus
    isFirst.current = false
    return isArrival && main.current !== null ? focusHeading(main.current) : undefined
  }, [at, title])
  return (
    <main ref={main} id="main" className={styles["main"]} tabIndex={-1}>
      <Boundary of={at}>
        <Suspense fallback={<Loading what="the screen" />}>
          {shown === undefined ? (
            <Message icon={FileQuestion} title="There is no such screen" alert whole>
              <p>{missing}</p>
              <Link to={home[0]}>{home[1]}</Link>
            </Message>
          ) : (
            <shown.screen key={at} id={shown.id} />
          )}
        </Suspense>
      </Boundary>
    </main>
  )
}

const themeActions: ReadonlyArray<Action> = [
  { label: "Use the light theme", icon: Sun, keys: "", run: () => registry.set(theme, "light") },
  { label: "Use the dark theme", icon: Moon, keys: "", run: () => registry.set(theme, "dark") }
]

interface FrameProps extends ContentProps {
  readonly entries: ReadonlyArray<Entry>
  /** Actions of the palette besides those of the navigation and the themes. */
  readonly actions: ReadonlyArray<Action>
  readonly dialogs: Dialogs | undefined
  /** The connection, or what stands in its place. */
  readonly state: ReactNode
  /** The last line of the navigation. */
  readonly foot: ReactNode
}

const isAt = (to: string, at: string): boolean => (to === "/" ? at === "/" : at === to || at.startsWith(`${to}/`))

/** The frame of every screen: navigation, connection, palette and notices. */
export const Frame = ({ actions, dialogs, entries, foot, home, missing, shown, state }: FrameProps) => {
  const at = useAtomValue(path)
  const [opened, open] = useState<"palette" | "help" | undefined>(undefined)
  const offer = (what: "palette" | "help") => (dialogs === undefined ? undefined : open(what))
  useShortcuts({
    onPalette: () => offer("palette"),
    onHelp: () => offer("help"),
    addressOf: (letter) => entries.find(({ key }) => key === letter)?.to
  })
  const close = () => open(undefined)
  /** The address at which the menu of a narrow page was opened: another screen closes it. */
  const [menuAt, openMenu] = useState<string | undefined>(undefined)
  const isMenuOpen = menuAt === at
  return (
    <div className={styles["shell"]}>
      <a
        className={styles["skip"]}
        href="#main"
        onClick={(event) => {
          // the address may be behind the same sign
          event.preventDefault()
          document.getElementById("main")?.focus()
        }}
      >
        Skip to content
      </a>
      <header className={styles["side"]}>
        <div className={styles["brand"]}>
          <img src={icon} alt="" />
          <span>webagent</span>
        </div>
        <button
          type="button"
          className={styles["menu"]}
          aria-expanded={isMenuOpen}
          aria-controls="screens"
          onClick={() => openMenu(isMenuOpen ? undefined : at)}
        >
          <Menu aria-hidden />
          Menu
        </button>
        {isFile || dialogs === undefined ? null : (
          <button type="button" className={styles["find"]} onClick={() => open("palette")}>
            <Search aria-hidden />
            <span>Go to…</span>
            <kbd aria-hidden>Ctrl K</kbd>
          </button>
        )}
        <nav id="screens" className={styles["nav"]} data-open={isMenuOpen} aria-label="Screens">
          {entries.map(({ icon: Icon, text, to }) => (
            <Link key={to} to={to} title={text} aria-current={isAt(to, at) ? "page" : undefined}>
              <Icon aria-hidden />
              <span>{text}</span>
            </Link>
          ))}
        </nav>
        <div className={styles["foot"]}>
          <div className={styles["row"]}>
            {state}
            <ThemeChoice />
          </div>
          {isFile || dialogs === undefined ? null : (
            <button type="button" className={styles["keys"]} onClick={() => open("help")}>
              <span>Keyboard shortcuts</span> <kbd aria-hidden>?</kbd>
            </button>
          )}
          <div className={`${styles["row"]} ${styles["who"]}`}>{foot}</div>
        </div>
      </header>
      <div className={styles["content"]}>
        {isFile ? null : <Offline />}
        <Content shown={shown} missing={missing} home={home} />
      </div>
      <Notice />
      {isFile || dialogs === undefined ? null : (
        <Suspense>
          {opened === "palette" ? (
            <dialogs.Palette
              actions={[
                ...entries.map(({ icon, key, text, to }) => ({
                  label: text,
                  icon,
                  keys: `g ${key}`,
                  run: () => go(to)
                })),
                ...actions,
                ...themeActions,
                { label: "Show keyboard shortcuts", icon: Keyboard, keys: "?", run: () => open("help") }
              ]}
              onClose={close}
            />
          ) : null}
          {opened === "help" ? <dialogs.Help entries={entries} shown={shown} onClose={close} /> : null}
        </Suspense>
      )}
    </div>
  )
}
