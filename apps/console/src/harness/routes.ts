import { FolderTree, Gauge, ListChecks, MoonStar } from "lucide-react"
import { type ComponentType, lazy } from "react"
import type { Entry, ScreenKey } from "../app/Frame.tsx"

interface Route {
  readonly pattern: RegExp
  readonly title: string
  readonly screen: ComponentType<{ readonly id: string }>
}

/** The screens. Each is a file of its own, which is loaded when the screen is first opened. */
export const routes: ReadonlyArray<Route> = [
  { pattern: /^\/$/u, title: "Nights", screen: lazy(() => import("./nights/NightsScreen.tsx")) },
  {
    pattern: /^\/nights$/u,
    title: "List of nights",
    screen: lazy(() => import("./nights/NightsListScreen.tsx"))
  },
  { pattern: /^\/nights\/([^/]+)$/u, title: "Night", screen: lazy(() => import("./night/NightScreen.tsx")) },
  { pattern: /^\/compare\/([^/]+)$/u, title: "Compare", screen: lazy(() => import("./compare/CompareScreen.tsx")) },
  {
    pattern: /^\/(?:scenario|trend)$/u,
    title: "Over time",
    screen: lazy(() => import("./scenario/ScenarioScreen.tsx"))
  },
  { pattern: /^\/runs$/u, title: "Runs", screen: lazy(() => import("./runs/RunsScreen.tsx")) },
  { pattern: /^\/runs\/([^/]+)$/u, title: "Run", screen: lazy(() => import("./run/RunScreen.tsx")) },
  { pattern: /^\/trial\/([^/]+)$/u, title: "Trial", screen: lazy(() => import("./trial/TrialScreen.tsx")) },
  { pattern: /^\/suites$/u, title: "Suites", screen: lazy(() => import("./suites/SuitesScreen.tsx")) },
  { pattern: /^\/load$/u, title: "Load tests", screen: lazy(() => import("./load/LoadScreen.tsx")) },
  { pattern: /^\/load\/([^/]+)$/u, title: "Load test", screen: lazy(() => import("./load/LoadTestScreen.tsx")) },
  {
    pattern: /^\/load-comparison\/([^/]+)$/u,
    title: "Loads compared",
    screen: lazy(() => import("./load/LoadComparisonScreen.tsx"))
  }
]

/** The navigation. */
export const menu: ReadonlyArray<Entry> = [
  { to: "/", text: "Nights", icon: MoonStar, key: "n" },
  { to: "/runs", text: "Runs", icon: ListChecks, key: "r" },
  { to: "/suites", text: "Suites", icon: FolderTree, key: "s" },
  { to: "/load", text: "Load tests", icon: Gauge, key: "l" }
]

/** The keys of every screen. */
const keys: ReadonlyArray<ScreenKey> = [
  ["j, k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["/", "Search the list"]
]

const idOf = (part: string | undefined): string => {
  try {
    return decodeURIComponent(part ?? "")
  } catch {
    return part ?? ""
  }
}

/** Returns the screen of a path, and the id in it. */
export const shownAt = (path: string) => {
  for (const { pattern, screen, title } of routes) {
    const match = pattern.exec(path)
    if (match !== null) return { screen, title, keys, id: idOf(match[1]) }
  }
  return undefined
}
