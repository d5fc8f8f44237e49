import { embeddedData, embeddedSource, type PackedData } from "@webagent/harness-api/Embedded"
import { createRoot } from "react-dom/client"
import { registry } from "../state/react.ts"
import "../styles/styles.ts"
import { App } from "./App.tsx"
import { menu } from "./routes.ts"
import { source } from "./state/source.ts"

const root = document.getElementById("root")
const data = embeddedData()
/** True if a page has something to show at an address of the navigation. */
const has = ({ loadComparisons, loads, runs, suites }: PackedData, to: string): boolean =>
  (to !== "/runs" || runs.rows.length > 0) &&
  (to !== "/suites" || suites.files.length > 0) &&
  (to !== "/load" || loads.length + loadComparisons.length > 0)

/** The address of the first screen. A link of a notification has its address behind the # percent-encoded. */
const startOf = (start: string | null): string | undefined => {
  try {
    if (/^#%2f/iu.test(location.hash)) return decodeURIComponent(location.hash.slice(1))
    if (location.hash !== "") return undefined
  } catch {
    // a link that was cut
  }
  return start ?? undefined
}

if (root !== null && data !== undefined) {
  const start = startOf(data.start)
  if (start !== undefined) history.replaceState(null, "", `#${start}`)
  registry.set(source, embeddedSource(data))
  createRoot(root).render(<App dialogs={undefined} entries={menu.filter(({ to }) => has(data, to))} />)
}
