import { ArrowLeft } from "lucide-react"
import type { ReactNode } from "react"
import { CopyButton } from "./CopyButton.tsx"
import { Link } from "./Link.tsx"
import { Status } from "./Status.tsx"
import { Untrusted } from "./Untrusted.tsx"
import styles from "./Record.module.css"

/** A name and a value of a record; null and undefined are left out. */
export type Fact = readonly [name: string, value: ReactNode]

/** Short facts about a record. A text is a stranger's. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<Fact> }) => (
  <dl className={styles["facts"]}>
    {of.map(([name, value]) =>
      value === null || value === undefined ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? <Untrusted max={60}>{value}</Untrusted> : value}</dd>
        </div>
      )
    )}
  </dl>
)

interface RecordHeadProps {
  /** The screen that the arrow leads to, and its name. Without one there is no arrow. */
  readonly back?: readonly [to: string, label: string]
  /** Controls next to the arrow. */
  readonly neighbors?: ReactNode
  readonly status: string
  readonly id: string
  readonly actions?: ReactNode
  readonly title: ReactNode
  /** The text behind a shortened title. */
  readonly whole?: string | undefined
  readonly facts: ReadonlyArray<Fact>
  readonly children?: ReactNode
}

/** The head of a screen about one record: status, id, actions, title and facts. */
export const RecordHead = ({
  actions,
  back,
  children,
  facts,
  id,
  neighbors,
  status,
  title,
  whole
}: RecordHeadProps) => (
  <header className={styles["head"]}>
    <div className={styles["top"]}>
      {back === undefined ? null : (
        <Link to={back[0]} className={styles["back"]} aria-label={back[1]}>
          <ArrowLeft aria-hidden size={16} />
        </Link>
      )}
      {neighbors}
      <Status of={status} />
      <span className={styles["id"]}>
        <code>{id}</code>
        <CopyButton text={id} label="Copy the id" isLabeled={false} />
      </span>
      {actions === undefined ? null : <div className={styles["actions"]}>{actions}</div>}
    </div>
    <h1 title={whole}>{title}</h1>
    {children}
    <Facts of={facts} />
  </header>
)
