import type { ReactNode } from "react"
import styles from "./Page.module.css"

interface PageProps {
  readonly title: string
  /** Buttons next to the title. */
  readonly actions?: ReactNode
  /** A sentence below the title. */
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** A screen that scrolls: its heading, its actions and its content. */
export const Page = ({ actions, children, lead, title }: PageProps) => (
  <div className={styles["page"]}>
    <div className={styles["head"]}>
      <div>
        <h1>{title}</h1>
        {lead === undefined ? null : <p>{lead}</p>}
      </div>
      {actions === undefined ? null : <div className={styles["actions"]}>{actions}</div>}
    </div>
    {children}
  </div>
)

interface SectionProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a screen with a heading. */
export const Section = ({ actions, children, title }: SectionProps) => (
  <section className={styles["section"]}>
    <div className={styles["sectionHead"]}>
      <h2>{title}</h2>
      {actions}
    </div>
    {children}
  </section>
)
