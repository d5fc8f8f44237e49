import { ArrowLeft } from "lucide-react"
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"
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

/** Most characters of a title on two lines of any page. */
const shortTitle = 2000

/** Most characters of a whole title on the page. */
const longestTitle = 20_000

interface HeadingProps {
  readonly title: string
  /** The task that the title is about. */
  readonly task?: string | undefined
}

/** A title on two lines. A button shows all of one that is cut, or the task of another title. */
const Heading = ({ task, title: given }: HeadingProps) => {
  const whole = (task ?? given).trim()
  // the beginning of a long task is the title of a run without another one: there may be room for more of it
  const title = given.endsWith("…") && whole.startsWith(given.slice(0, -1)) ? whole : given
  const heading = useRef<HTMLHeadingElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const element = heading.current
    if (element === null || isOpen) return undefined
    // a line may be a fraction of a pixel higher than its box
    const measure = () => setCut(element.scrollHeight > element.clientHeight + 1)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [isOpen, title])
  const hasMore = isCut || isOpen || whole !== title || title.length > shortTitle
  return (
    <>
      <h1 ref={heading} title={whole} data-open={isOpen || undefined}>
        <Untrusted max={isOpen ? longestTitle : shortTitle}>{isOpen ? whole : title}</Untrusted>
      </h1>
      {hasMore ? (
        <button type="button" className={styles["whole"]} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : task === undefined ? "Show the whole title" : "Show the whole task"}
        </button>
      ) : null}
    </>
  )
}

interface RecordHeadProps extends HeadingProps {
  /** The screen that the arrow leads to, and its name. Without one there is no arrow. */
  readonly back?: readonly [to: string, label: string]
  /** Opens the screen of the arrow. */
  readonly onBack?: (to: string) => void
  /** Controls next to the arrow. */
  readonly neighbors?: ReactNode
  readonly status: string
  readonly id: string
  readonly actions?: ReactNode
  readonly facts: ReadonlyArray<Fact>
  readonly children?: ReactNode
}

/**
 * The head of a screen about one record: status, id, actions, title and facts. A keyboard reaches the title first, which has
 * the focus on arrival, and then the actions.
 */
export const RecordHead = ({
  actions,
  back,
  children,
  facts,
  id,
  neighbors,
  onBack,
  status,
  task,
  title
}: RecordHeadProps) => (
  <header className={styles["head"]}>
    <Heading task={task} title={title} />
    <div className={styles["top"]}>
      {actions === undefined ? null : <div className={styles["actions"]}>{actions}</div>}
      {back === undefined ? null : (
        <Link to={back[0]} {...(onBack && { onOpen: onBack })} className={styles["back"]} aria-label={back[1]}>
          <ArrowLeft aria-hidden size={16} />
        </Link>
      )}
      {neighbors}
      <Status of={status} />
      <span className={styles["id"]}>
        <code>{id}</code>
        <CopyButton text={id} label="Copy the ID" isLabeled={false} />
      </span>
    </div>
    <div className={styles["more"]}>
      {children}
      <Facts of={facts} />
    </div>
  </header>
)
