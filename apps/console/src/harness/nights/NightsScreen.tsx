import type { NightFigure } from "@webagent/harness-api"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { MoonStar } from "lucide-react"
import { lazy, Suspense, useMemo, useState } from "react"
import { reason } from "../../state/errors.ts"
import { go, place } from "../../state/place.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { count, counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { CompareForm } from "./CompareForm.tsx"
import { choiceOf, type Choice, textOf } from "./filters.ts"
import { choicesOf, chosen, type Heat } from "./heat.ts"
import { headsOf } from "./heads.ts"
import { HeatGrid } from "./HeatGrid.tsx"
import { results, type Show, shows, type View } from "./measure.ts"
import { nights, viewOf } from "./nights.state.ts"
import { type GridRow, rowOf } from "./rows.ts"
import styles from "./NightsScreen.module.css"

const NoNights = lazy(() => import("./NoNights.tsx"))
// its words are as large as the map
const Tonight = lazy(() => import("./Tonight.tsx"))

const change = (choice: Choice, part: Partial<Choice>) => go(`/${textOf({ ...choice, ...part })}`, { replace: true })

/** Two nights to compare. A year of nights twice is much to render, so they are read when they are asked for. */
const Compare = ({ choice, heat }: { readonly choice: Choice; readonly heat: Heat }) => {
  const [isOpen, open] = useState(choice.compared.length > 0)
  return heat.nights.length < 2 ? null : (
    <details className={styles["compare"]} open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Compare two nights</summary>
      {isOpen ? <CompareForm choice={choice} heat={heat} /> : null}
    </details>
  )
}

const words: Readonly<Record<Show, string>> = {
  result: "Results",
  duration: "Duration per trial",
  cost: "Cost of all trials"
}

const Filters = ({ choice, heat }: { readonly choice: Choice; readonly heat: Heat }) => {
  const { owners, tags } = useMemo(() => choicesOf(heat), [heat])
  const { filters } = choice
  const set = (part: Partial<Choice["filters"]>) => change(choice, { filters: { ...filters, ...part } })
  const select = (label: string, value: string, values: ReadonlyArray<string>, name: "tag" | "owner") =>
    values.length === 0 ? null : (
      <label>
        <span>{label}</span>
        <select value={value} onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}>
          <option value="">All</option>
          {values.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    )
  return (
    <div className={styles["filters"]} role="group" aria-label="Filters">
      <label className={styles["search"]}>
        <span>Scenario</span>
        <input
          type="search"
          placeholder="Part of its name"
          value={filters.text}
          onChange={({ currentTarget }) => set({ text: currentTarget.value })}
        />
      </label>
      {select("Tag", filters.tag, tags, "tag")}
      {select("Owner", filters.owner, owners, "owner")}
      <label>
        <span>Order</span>
        <select
          value={choice.order}
          onChange={({ currentTarget }) =>
            change(choice, { order: currentTarget.value === "name" ? "name" : "tonight" })
          }
        >
          <option value="tonight">Worst tonight first</option>
          <option value="name">By name</option>
        </select>
      </label>
      <label>
        <span>Show</span>
        <select
          value={choice.show}
          onChange={({ currentTarget }) =>
            change(choice, { show: shows.find((show) => show === currentTarget.value) ?? "result" })
          }
        >
          {shows.map((show) => (
            <option key={show} value={show}>
              {words[show]}
            </option>
          ))}
        </select>
      </label>
      <label className={styles["check"]}>
        <input
          type="checkbox"
          checked={filters.isRedOnly}
          onChange={({ currentTarget }) => set({ isRedOnly: currentTarget.checked })}
        />
        <span>Only problems</span>
      </label>
    </div>
  )
}

const Legend = ({ heat, view }: { readonly heat: Heat; readonly view: View }) => (
  <ul className={styles["legend"]} aria-label="Symbols">
    {useMemo(() => view.legend(heat), [heat, view]).map(({ look, text, words }) => (
      <li key={words}>
        <i data-look={look}>{text}</i>
        {words}
      </li>
    ))}
  </ul>
)

interface HeatMapProps {
  readonly heat: Heat
  /** Rows about whole nights. */
  readonly whole: ReadonlyArray<GridRow>
  readonly total: number
  readonly choice: Choice
  readonly view: View
}

const HeatMap = ({ choice, heat, total, view, whole }: HeatMapProps) => {
  const lines = useMemo(() => chosen(heat, choice.filters, choice.order), [heat, choice])
  const rows = useMemo(() => [...whole, ...lines.map((line) => rowOf(line, view))], [whole, lines, view])
  const heads = useMemo(() => headsOf(heat), [heat])
  const [tonight] = heat.nights
  return (
    <>
      <div className={styles["tonight"]}>
        <Suspense>{tonight === undefined ? null : <Tonight night={tonight} />}</Suspense>
      </div>
      <Filters choice={choice} heat={heat} />
      <Compare choice={choice} heat={heat} />
      {lines.length === 0 ? (
        <Message icon={MoonStar} title="No scenario matches">
          <p>{choice.filters.isRedOnly ? "No scenario has a problem tonight." : "Try fewer filters."}</p>
          <Link to="/">Show all scenarios</Link>
        </Message>
      ) : (
        <div className={styles["map"]}>
          <HeatGrid rows={rows} columns={heat.nights} heads={heads} />
        </div>
      )}
      <div className={styles["under"]}>
        <Legend heat={heat} view={view} />
        <p>
          {counted(lines.length, "scenario")} of {count(heat.lines.length)}, {counted(heat.nights.length, "night")}
          {total > heat.nights.length ? ` of ${count(total)}` : ""}. Arrow keys move, Enter opens a cell.
        </p>
      </div>
    </>
  )
}

/** The heat map of an address: its cells show results, or a figure that is read then. */
const Shown = (of: Pick<HeatMapProps, "heat" | "total" | "whole">) => {
  const { search } = useAtomValue(place)
  const choice = useMemo(() => choiceOf(search), [search])
  return choice.show === "result" ? (
    <HeatMap {...of} choice={choice} view={results} />
  ) : (
    <Measured {...of} choice={choice} figure={choice.show} />
  )
}

/** The heat map of a figure. Results are shown until the figure has been read. */
const Measured = ({ figure, ...rest }: Omit<HeatMapProps, "view"> & { readonly figure: NightFigure }) => {
  const atom = viewOf(figure)
  const result = useAtomValue(atom)
  return (
    <>
      {AsyncResult.isFailure(result) ? (
        <p role="alert" className={styles["problem"]}>
          <Untrusted>{reason(result)}</Untrusted>
        </p>
      ) : null}
      <HeatMap {...rest} view={AsyncResult.isSuccess(result) ? result.value : results} />
    </>
  )
}

/** Every scenario in every night. */
const NightsScreen = () => {
  const result = useAtomValue(nights)
  return (
    <div className={styles["screen"]}>
      <div className={styles["title"]}>
        <h1>Nights</h1>
        <Link to="/nights">List of nights</Link>
        <Link to="/trend">Nights over time</Link>
      </div>
      <Answer of={result} what="nights" onRetry={() => registry.refresh(nights)}>
        {({ heat, problems, total, whole }) => (
          <>
            {problems.map((problem, index) => (
              <p key={index} role="alert" className={styles["problem"]}>
                <Untrusted>{problem}</Untrusted>
              </p>
            ))}
            {heat.nights.length === 0 ? (
              <Suspense>
                <NoNights />
              </Suspense>
            ) : (
              <Shown heat={heat} total={total} whole={whole} />
            )}
          </>
        )}
      </Answer>
    </div>
  )
}

export default NightsScreen
