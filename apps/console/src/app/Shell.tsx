import * as AsyncResult from "effect/reactivity/AsyncResult"
import { CircleX, FileQuestion, Keyboard, Loader, LogOut, Monitor, Moon, Search, Sun } from "lucide-react"
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react"
import icon from "../ui/icon.svg"
import { serverInfo, signInKeys, signOut } from "../state/client.ts"
import { connection, live } from "../state/live.ts"
import { clearing, notice } from "../state/notices.ts"
import { go, path } from "../state/place.ts"
import { theme, themes } from "../state/preferences.ts"
import { registry, useAtom, useAtomMount, useAtomSet, useAtomValue } from "../state/react.ts"
import { Button } from "../ui/Button.tsx"
import { Link } from "../ui/Link.tsx"
import { Loading, Message } from "../ui/Message.tsx"
import { Boundary } from "./Boundary.tsx"
import type { Action } from "./Palette.tsx"
import { menu, routeOf } from "./routes.ts"
import styles from "./Shell.module.css"
import { useShortcuts } from "./shortcuts.ts"

const Palette = lazy(() => import("./Palette.tsx"))
const Help = lazy(() => import("./Help.tsx"))

const connectionTexts = { connecting: "Connecting…", live: "Live", lost: "Offline" } as const
const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const
const themeTexts = { system: "System theme", light: "Light theme", dark: "Dark theme" } as const

/** Tells whether the server has a part; all parts until its answer is there. */
const useHas = () => {
  const info = useAtomValue(serverInfo)
  const parts = AsyncResult.isSuccess(info) ? info.value.has : undefined
  return useMemo(
    () => (part: string | undefined) => part === undefined || parts === undefined || parts.some((one) => one === part),
    [parts]
  )
}

const ConnectionState = () => {
  const state = useAtomValue(connection)
  return (
    <span role="status" className={styles["connection"]} data-state={state}>
      {connectionTexts[state]}
    </span>
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

const Notice = () => {
  useAtomMount(clearing)
  return (
    <div className={styles["notice"]} role="status">
      {useAtomValue(notice)}
    </div>
  )
}

const Content = ({ has }: { readonly has: ReturnType<typeof useHas> }) => {
  const at = useAtomValue(path)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const match = routeOf(at, has)
  const title = match?.route.title ?? "Not found"
  useEffect(() => {
    document.title = `${title} · webagent`
    // a screen reader, and the next Tab, start at the new screen
    if (!isFirst.current) main.current?.focus()
    isFirst.current = false
  }, [at, title])
  return (
    <main ref={main} id="main" className={styles["main"]} tabIndex={-1}>
      <Boundary of={at}>
        <Suspense fallback={<Loading what="the screen" />}>
          {match === undefined ? (
            <Message icon={FileQuestion} title="There is no such screen" alert whole>
              <p>The address may be misspelled, or this server doesn't have that part.</p>
              <Link to="/">Overview</Link>
            </Message>
          ) : (
            <match.route.screen key={at} id={match.id} />
          )}
        </Suspense>
      </Boundary>
    </main>
  )
}

const otherActions: ReadonlyArray<Action> = [
  { label: "Show running runs", icon: Loader, keys: "", run: () => go("/runs?status=running") },
  { label: "Show failed runs", icon: CircleX, keys: "", run: () => go("/runs?status=failed") },
  { label: "Use the light theme", icon: Sun, keys: "", run: () => registry.set(theme, "light") },
  { label: "Use the dark theme", icon: Moon, keys: "", run: () => registry.set(theme, "dark") }
]

interface ShellProps {
  /** Name of the key that signed in; null where there is no sign-in. */
  readonly user: string | null
}

/** The frame of every screen: navigation, connection, palette and notices. */
export const Shell = ({ user }: ShellProps) => {
  useAtomMount(live)
  const at = useAtomValue(path)
  const info = useAtomValue(serverInfo)
  const has = useHas()
  const leave = useAtomSet(signOut)
  const [opened, open] = useState<"palette" | "help" | undefined>(undefined)
  const entries = menu.filter(({ needs }) => has(needs))
  useShortcuts({
    onPalette: () => open("palette"),
    onHelp: () => open("help"),
    addressOf: (letter) => entries.find(({ key }) => key === letter)?.to
  })
  const close = () => open(undefined)
  const version = AsyncResult.isSuccess(info) ? info.value.version : ""
  const actions: ReadonlyArray<Action> = [
    ...entries.map(({ icon, key, text, to }) => ({ label: text, icon, keys: `g ${key}`, run: () => go(to) })),
    ...otherActions,
    { label: "Show keyboard shortcuts", icon: Keyboard, keys: "?", run: () => open("help") }
  ]
  return (
    <div className={styles["shell"]}>
      <a className={styles["skip"]} href="#main">
        Skip to the content
      </a>
      <header className={styles["side"]}>
        <div className={styles["brand"]}>
          <img src={icon} alt="" />
          <span>webagent</span>
        </div>
        <button type="button" className={styles["find"]} onClick={() => open("palette")}>
          <Search aria-hidden />
          <span>Go to…</span>
          <kbd aria-hidden>Ctrl K</kbd>
        </button>
        <nav className={styles["nav"]} aria-label="Screens">
          {entries.map(({ icon: Icon, text, to }) => (
            <Link
              key={to}
              to={to}
              title={text}
              aria-current={(to === "/" ? at === "/" : at === to || at.startsWith(`${to}/`)) ? "page" : undefined}
            >
              <Icon aria-hidden />
              <span>{text}</span>
            </Link>
          ))}
        </nav>
        <div className={styles["foot"]}>
          <div className={styles["row"]}>
            <ConnectionState />
            <ThemeChoice />
          </div>
          <div className={`${styles["row"]} ${styles["who"]}`}>
            <span>{user === null ? `No sign-in · ${version}` : `${user} · ${version}`}</span>
            {user === null ? null : (
              <Button
                kind="ghost"
                aria-label="Sign out"
                title="Sign out"
                onClick={() => leave({ reactivityKeys: signInKeys })}
              >
                <LogOut aria-hidden />
              </Button>
            )}
          </div>
        </div>
      </header>
      <Content has={has} />
      <Notice />
      <Suspense>
        {opened === "palette" ? <Palette actions={actions} onClose={close} /> : null}
        {opened === "help" ? <Help onClose={close} /> : null}
      </Suspense>
    </div>
  )
}
