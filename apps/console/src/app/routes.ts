import { Gauge, KeyRound, List, type LucideIcon, Play } from "lucide-react"
import { type ComponentType, lazy } from "react"

interface Route {
  readonly pattern: RegExp
  readonly title: string
  /** The part of the server that the screen needs; a server without it doesn't have the screen. */
  readonly needs?: string
  readonly screen: ComponentType<{ readonly id: string }>
}

/** The screens. Each is a file of its own, which is loaded when the screen is first opened. */
export const routes: ReadonlyArray<Route> = [
  { pattern: /^\/$/u, title: "Overview", screen: lazy(() => import("../features/overview/OverviewScreen.tsx")) },
  { pattern: /^\/start$/u, title: "Start a run", screen: lazy(() => import("../features/start/StartScreen.tsx")) },
  { pattern: /^\/runs$/u, title: "Runs", screen: lazy(() => import("../features/runs/RunsScreen.tsx")) },
  { pattern: /^\/runs\/([^/]+)$/u, title: "Run", screen: lazy(() => import("../features/run/RunScreen.tsx")) },
  {
    pattern: /^\/browsers\/([^/]+)$/u,
    title: "Browser",
    needs: "browsers",
    screen: lazy(() => import("../features/browser/BrowserScreen.tsx"))
  },
  { pattern: /^\/keys$/u, title: "Keys", needs: "keys", screen: lazy(() => import("../features/keys/KeysScreen.tsx")) }
]

/** An entry of the navigation. */
interface Entry {
  readonly to: string
  readonly text: string
  readonly icon: LucideIcon
  /** The letter after `g`. */
  readonly key: string
  readonly needs?: string
}

/** The navigation, which is also what the palette and the keys of `g` lead to. */
export const menu: ReadonlyArray<Entry> = [
  { to: "/", text: "Overview", icon: Gauge, key: "o" },
  { to: "/start", text: "Start a run", icon: Play, key: "s" },
  { to: "/runs", text: "Runs", icon: List, key: "r" },
  { to: "/keys", text: "Keys", icon: KeyRound, key: "k", needs: "keys" }
]

/** Returns the route of a path, and the id in the path. */
export const routeOf = (
  path: string,
  has: (part: string | undefined) => boolean
): { readonly route: Route; readonly id: string } | undefined => {
  for (const route of routes) {
    const match = route.pattern.exec(path)
    if (match !== null && has(route.needs)) return { route, id: decodeURIComponent(match[1] ?? "") }
  }
  return undefined
}
