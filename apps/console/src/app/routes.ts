import {
  Activity,
  Coins,
  FlaskConical,
  Gauge,
  KeyRound,
  Layers,
  LayoutGrid,
  List,
  Network,
  Play,
  Settings
} from "lucide-react"
import { type ComponentType, lazy } from "react"
import type { Entry, ScreenKey } from "./Frame.tsx"

interface Route {
  readonly pattern: RegExp
  readonly title: string
  /** The part of the server that the screen needs; a server without it doesn't have the screen. */
  readonly needs?: string
  /** The operation that the screen needs; a key that may not use it doesn't have the screen. */
  readonly uses?: string
  readonly screen: ComponentType<{ readonly id: string }>
  /** The keys of the screen, for the list of shortcuts. */
  readonly keys?: ReadonlyArray<ScreenKey>
}

const rowKeys: ReadonlyArray<ScreenKey> = [
  ["j, k", "Next and previous row"],
  ["Enter", "Open the row"]
]

/** The screens. Each is a file of its own, which is loaded when the screen is first opened. */
export const routes: ReadonlyArray<Route> = [
  { pattern: /^\/$/u, title: "Overview", screen: lazy(() => import("../features/overview/OverviewScreen.tsx")) },
  { pattern: /^\/start$/u, title: "Start a run", screen: lazy(() => import("../features/start/StartScreen.tsx")) },
  {
    pattern: /^\/runs$/u,
    title: "Runs",
    screen: lazy(() => import("../features/runs/RunsScreen.tsx")),
    keys: [["/", "Search the runs"], ...rowKeys, ["x", "Select the row"], ["Home, End", "First and last row"]]
  },
  {
    pattern: /^\/runs\/([^/]+)$/u,
    title: "Run",
    screen: lazy(() => import("../features/run/RunScreen.tsx")),
    keys: [
      ["j, k", "Next and previous step; the recording follows"],
      ["/", "Search the steps"],
      ["J, K", "Next and previous run in the list"],
      ["← →", "On the timeline: next and previous step"],
      ["Shift ← →", "On the timeline: select a range of steps"]
    ]
  },
  {
    pattern: /^\/wall$/u,
    title: "Live wall",
    needs: "browsers",
    screen: lazy(() => import("../features/wall/WallScreen.tsx")),
    keys: [
      ["j, k", "Next and previous browser"],
      ["Enter", "Open the browser"]
    ]
  },
  {
    pattern: /^\/browsers\/([^/]+)$/u,
    title: "Browser",
    needs: "browsers",
    screen: lazy(() => import("../features/browser/BrowserScreen.tsx")),
    keys: [
      ["Ctrl L", "Enter an address, while you have control"],
      ["Esc", "Release the browser"]
    ]
  },
  { pattern: /^\/keys$/u, title: "Keys", needs: "keys", screen: lazy(() => import("../features/keys/KeysScreen.tsx")) },
  {
    pattern: /^\/shares$/u,
    title: "Shared runs",
    needs: "shares",
    screen: lazy(() => import("../features/share/SharesScreen.tsx"))
  },
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
    uses: "nodes.list",
    screen: lazy(() => import("../features/nodes/NodesScreen.tsx"))
  },
  {
    pattern: /^\/events$/u,
    title: "Events",
    needs: "events",
    screen: lazy(() => import("../features/events/EventsScreen.tsx")),
    keys: rowKeys
  },
  {
    pattern: /^\/(?:events\/)?audit$/u,
    title: "Audit log",
    needs: "audit",
    screen: lazy(() => import("../features/events/AuditScreen.tsx")),
    keys: [["/", "Filter the list"]]
  },
  {
    pattern: /^\/simulation(?:\/([^/]+))?$/u,
    title: "Simulated service",
    needs: "simulation",
    screen: lazy(() => import("../features/simulation/SimulationScreen.tsx")),
    keys: [["/", "Search the journal"], ...rowKeys]
  },
  {
    pattern: /^\/settings$/u,
    title: "Settings",
    uses: "server.settings",
    screen: lazy(() => import("../features/settings/SettingsScreen.tsx"))
  }
]

/** An entry of the navigation, and what the server needs for it. */
interface MenuEntry extends Entry {
  readonly needs?: string
  readonly uses?: string
}

/** The navigation, which is also what the palette and the keys of `g` lead to. */
export const menu: ReadonlyArray<MenuEntry> = [
  { to: "/", text: "Overview", icon: Gauge, key: "o" },
  { to: "/start", text: "Start a run", icon: Play, key: "s", uses: "runs.create" },
  { to: "/runs", text: "Runs", icon: List, key: "r" },
  { to: "/wall", text: "Live wall", icon: LayoutGrid, key: "w", needs: "browsers" },
  { to: "/keys", text: "Keys", icon: KeyRound, key: "k", needs: "keys" },
  { to: "/sessions", text: "Sessions", icon: Layers, key: "e", needs: "sessions" },
  { to: "/spend", text: "Spend", icon: Coins, key: "c", needs: "spend" },
  { to: "/nodes", text: "Nodes", icon: Network, key: "n", needs: "nodes", uses: "nodes.list" },
  { to: "/events", text: "Events", icon: Activity, key: "a", needs: "events" },
  { to: "/simulation", text: "Simulated service", icon: FlaskConical, key: "m", needs: "simulation" },
  { to: "/settings", text: "Settings", icon: Settings, key: "t", uses: "server.settings" }
]

/** The id in a path; a path that is no text, such as `%`, is an id that nothing has. */
export const idOf = (part: string | undefined): string => {
  try {
    return decodeURIComponent(part ?? "")
  } catch {
    return part ?? ""
  }
}

/** Returns the route of a path, and the id in the path. */
export const routeOf = (
  path: string,
  has: (of: Pick<Route, "needs" | "uses">) => boolean
): { readonly route: Route; readonly id: string } | undefined => {
  for (const route of routes) {
    const match = route.pattern.exec(path)
    if (match !== null && has(route)) return { route, id: idOf(match[1]) }
  }
  return undefined
}
