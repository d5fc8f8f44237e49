import {
  Coins,
  Gauge,
  KeyRound,
  Layers,
  List,
  type LucideIcon,
  Network,
  Play,
  ScrollText,
  Settings
} from "lucide-react"
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
  { pattern: /^\/keys$/u, title: "Keys", needs: "keys", screen: lazy(() => import("../features/keys/KeysScreen.tsx")) },
  {
    pattern: /^\/sessions$/u,
    title: "Sessions",
    needs: "sessions",
    screen: lazy(() => import("../features/sessions/SessionsScreen.tsx"))
  },
  {
    pattern: /^\/spend$/u,
    title: "Spend",
    needs: "spend",
    screen: lazy(() => import("../features/spend/SpendScreen.tsx"))
  },
  {
    pattern: /^\/nodes$/u,
    title: "Nodes",
    needs: "nodes",
    screen: lazy(() => import("../features/nodes/NodesScreen.tsx"))
  },
  {
    pattern: /^\/audit$/u,
    title: "Audit log",
    needs: "audit",
    screen: lazy(() => import("../features/audit/AuditScreen.tsx"))
  },
  {
    pattern: /^\/settings$/u,
    title: "Settings",
    screen: lazy(() => import("../features/settings/SettingsScreen.tsx"))
  }
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
  { to: "/keys", text: "Keys", icon: KeyRound, key: "k", needs: "keys" },
  { to: "/sessions", text: "Sessions", icon: Layers, key: "e", needs: "sessions" },
  { to: "/spend", text: "Spend", icon: Coins, key: "c", needs: "spend" },
  { to: "/nodes", text: "Nodes", icon: Network, key: "n", needs: "nodes" },
  { to: "/audit", text: "Audit log", icon: ScrollText, key: "a", needs: "audit" },
  { to: "/settings", text: "Settings", icon: Settings, key: "t" }
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
