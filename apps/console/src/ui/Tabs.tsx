import { path } from "../state/place.ts"
import { useAtomValue } from "../state/react.ts"
import { Link } from "./Link.tsx"
import styles from "./Tabs.module.css"

/** A part of a screen at an address of its own. */
export interface Tab {
  readonly to: string
  readonly text: string
  /** A figure after the text. */
  readonly figure?: string
}

/** Links to the parts of a screen. */
export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: ReadonlyArray<Tab> }) => {
  const at = useAtomValue(path)
  return (
    <nav className={styles["tabs"]} aria-label={label}>
      {tabs.map(({ figure, text, to }) => (
        <Link key={to} to={to} aria-current={at === to ? "page" : undefined}>
          {text}
          {figure === undefined ? null : <span>{figure}</span>}
        </Link>
      ))}
    </nav>
  )
}
