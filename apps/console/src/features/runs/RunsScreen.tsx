import { runStatuses } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { ArrowUp, Ban, CloudOff, Download, Play, RotateCcw, Search, SearchX, X } from "lucide-react"
import { lazy, Suspense, useCallback, useEffect, useId, useMemo, useRef, useState } from "react"
import { reason } from "../../state/client.ts"
import { mostNewRuns, newRuns, runRow } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { registry, useAtom, useAtomValue, useChange } from "../../state/react.ts"
import { cancelRuns, retryRuns, valueOf } from "../../state/runs.ts"
import { statusMeaning, statusWord } from "../../state/statuses.ts"
import { Button, buttonClass } from "../../ui/Button.tsx"
import { count, counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Failed, Loading, Message } from "../../ui/Message.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { ColumnChoice } from "./ColumnChoice.tsx"
import { type FilterTexts, filtersOf, fits, textOf } from "./filters.ts"
import {
  cancelFitting,
  counts,
  exportedRuns,
  exportRuns,
  filterText,
  lastList,
  runPages,
  selected,
  setFilters,
  withoutStatus
} from "./runs.state.ts"
import { RunsTable } from "./RunsTable.tsx"
import { Views } from "./Views.tsx"
import styles from "./RunsScreen.module.css"

const Confirm = lazy(() => import("../../ui/Confirm.tsx"))

/** Time without a key until a search starts. */
const typing_ms = 250

const SearchField = ({ value }: { readonly value: string }) => {
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef(0)
  const typed = useRef(value)
  // Back and Forward change the address without the field
  useEffect(() => {
    if (input.current !== null && value !== typed.current) input.current.value = value
    typed.current = value
  }, [value])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  const search = (text: string) => {
    typed.current = text.trim()
    // Back returns to the list before the search, whatever was typed in between
    const isAgain = value !== "" && typed.current !== ""
    setFilters({ search: typed.current || undefined }, { replace: isAgain })
  }
  return (
    <label className={styles["search"]}>
      <Search aria-hidden />
      <input
        ref={input}
        type="search"
        placeholder="Search tasks"
        aria-label="Search runs by words of their task"
        defaultValue={value}
        maxLength={200}
        onKeyDown={({ currentTarget, key }) => (key === "Escape" ? currentTarget.blur() : undefined)}
        onChange={({ currentTarget: { value: text } }) => {
          window.clearTimeout(timer.current)
          timer.current = window.setTimeout(() => search(text), typing_ms)
        }}
      />
      <kbd aria-hidden>/</kbd>
    </label>
  )
}

/** The count of a status of which nothing is known. */
const notCounted = { count: 0, more: true }

const StatusChoice = ({ filters, text }: { readonly filters: FilterTexts; readonly text: string }) => {
  const result = useAtomValue(counts(text))
  const read = valueOf(result)
  // the counts before stay in their place, so that nothing moves while others are read
  const [before, keep] = useState(read)
  if (read !== undefined && read !== before) keep(read)
  const byStatus = read ?? before
  const isBusy = read === undefined && result.waiting
  return (
    <div className={styles["chips"]} role="group" aria-label="Status" aria-busy={isBusy}>
      {runStatuses.map((status) => {
        const { count: n, more } = byStatus?.[status] ?? notCounted
        // dispatching takes a moment: it's worth a chip only while a run is in it
        if (status === "dispatching" && n === 0 && filters.status !== status) return null
        return (
          <button
            key={status}
            type="button"
            aria-pressed={status === filters.status}
            title={statusMeaning(status)}
            onClick={() => setFilters({ status: status === filters.status ? undefined : status })}
          >
            {statusWord(status)} <span>{n === 0 && more ? "" : `${count(n)}${more ? "+" : ""}`}</span>
          </button>
        )
      })}
    </div>
  )
}

const otherNames = ["key", "model", "node", "tag", "failure", "session", "from", "to", "minUsd"] as const

const otherLabels: Readonly<Record<(typeof otherNames)[number], string>> = {
  key: "Key",
  model: "Model",
  node: "Node",
  tag: "Tag",
  failure: "Failure",
  session: "Session",
  from: "Created since (date)",
  to: "Created before (date)",
  minUsd: "Cost at least (USD)"
}

const examples: Partial<Record<(typeof otherNames)[number], string>> = {
  from: "2026-11-28",
  to: "2026-11-29",
  minUsd: "0.5"
}

const refusals: Partial<Record<(typeof otherNames)[number], string>> = {
  from: "Enter a date such as 2026-11-28, or a time such as 2026-11-28T14:00:00Z.",
  to: "Enter a date such as 2026-11-28, or a time such as 2026-11-28T14:00:00Z.",
  minUsd: "Enter an amount such as 0.5, without a currency."
}

const MoreFilters = ({ filters }: { readonly filters: FilterTexts }) => {
  const inForce = otherNames.filter((name) => filters[name] !== undefined)
  const [wrong, setWrong] = useState<(typeof otherNames)[number] | undefined>(undefined)
  const id = useId()
  return (
    <details className={styles["more"]}>
      <summary>{inForce.length === 0 ? "More filters" : `More filters (${inForce.length})`}</summary>
      <form
        className={styles["fields"]}
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          const texts = otherNames.map((name) => [name, String(data.get(name) ?? "").trim() || undefined])
          const wanted = textOf(Object.fromEntries(texts))
          const refused = otherNames.find(
            (name) => String(data.get(name) ?? "").trim() !== "" && filtersOf(wanted)[name] === undefined
          )
          setWrong(refused)
          if (refused === undefined) return setFilters(Object.fromEntries(texts))
          event.currentTarget.querySelector<HTMLElement>(`[name=${refused}]`)?.focus()
        }}
      >
        {otherNames.map((name) => (
          <label key={`${name}-${filters[name] ?? ""}`}>
            {otherLabels[name]}
            <input
              name={name}
              defaultValue={filters[name] ?? ""}
              maxLength={200}
              placeholder={examples[name]}
              aria-invalid={name === wrong}
              aria-describedby={name === wrong ? id : undefined}
            />
            {name === wrong ? (
              <span id={id} role="alert">
                {refusals[name] ?? "This value isn't valid."}
              </span>
            ) : null}
          </label>
        ))}
        <div className={styles["actions"]}>
          <Button type="submit" kind="primary">
            Apply
          </Button>
          <Button
            kind="ghost"
            onClick={() =>
              setFilters(Object.fromEntries([...otherNames, "search", "status"].map((name) => [name, undefined])))
            }
          >
            Clear all
          </Button>
        </div>
      </form>
    </details>
  )
}

/** The value of a filter for people: an address has the whole instant. */
const shownFilter = (name: (typeof otherNames)[number], value: string | undefined): string | undefined =>
  (name === "from" || name === "to") && value !== undefined
    ? value.replace(/T00:00(?::00(?:\.0+)?)?Z$/u, "").replace(/T(\d\d:\d\d).*$/u, " $1")
    : value

/** The filters in force that have no control of their own on the screen, each with a button that removes it. */
const InForce = ({ filters }: { readonly filters: FilterTexts }) => {
  const names = otherNames.filter((name) => filters[name] !== undefined)
  if (names.length === 0) return null
  return (
    <ul className={styles["inForce"]} aria-label="Active filters">
      {names.map((name) => (
        <li key={name}>
          <button type="button" onClick={() => setFilters({ [name]: undefined })}>
            <span className="unseen">Remove the filter </span>
            {otherLabels[name]}: <Untrusted max={40}>{shownFilter(name, filters[name])}</Untrusted>{" "}
            <span aria-hidden>×</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Actions for the selected runs. */
const Selection = () => {
  const [ids, select] = useAtom(selected)
  const [isAsked, ask] = useState(false)
  const [cancel, isCancelling] = useChange(cancelRuns, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    const { already, cancelled } = result.value
    say(
      `${counted(cancelled.length, "run")} cancelled${already.length === 0 ? "" : `, ${count(already.length)} had already finished`}`
    )
    return select(new Set())
  })
  const [retry, isRetrying] = useChange(retryRuns, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    const { refused = [], started } = result.value
    const [first] = refused
    const reasons = first === undefined ? "" : `, ${count(refused.length)} refused: ${first.detail}`
    say(`${counted(started.length, "run")} started again${reasons}`)
    return select(new Set(refused.map(({ id }) => id)))
  })
  if (ids.size === 0) return null
  const open = [...ids].filter((id) => registry.get(runRow(id))?.finishedAt === null)
  const runs = counted(open.length, "run")
  return (
    <>
      <Button kind="ghost" onClick={() => select(new Set())}>
        Clear the selection
      </Button>
      <Button disabled={isRetrying} onClick={() => retry({ payload: { ids: [...ids] } })}>
        <RotateCcw aria-hidden />
        Run {count(ids.size)} again
      </Button>
      {open.length === 0 ? null : (
        <Button kind="danger" disabled={isCancelling} onClick={() => ask(true)}>
          <Ban aria-hidden />
          Cancel {runs}
        </Button>
      )}
      {isAsked ? (
        <Suspense>
          <Confirm
            title={`Cancel ${runs}?`}
            action={`Cancel ${runs}`}
            onClose={() => ask(false)}
            onConfirm={() => cancel({ payload: { ids: open } })}
          >
            Their agents stop immediately. Their cost so far still counts. This can't be undone, but you can run them
            again.
          </Confirm>
        </Suspense>
      ) : null}
    </>
  )
}

const openStatuses = ["queued", "dispatching", "running"]

/** Cancels every open run of the list, including runs that aren't loaded. */
const CancelAll = ({ filters, text }: { readonly filters: FilterTexts; readonly text: string }) => {
  const [isAsked, ask] = useState(false)
  const byStatus = valueOf(useAtomValue(counts(withoutStatus(filters))))
  const [cancel, isDisabled, isCancelling] = useChange(cancelFitting, (result) =>
    say(AsyncResult.isFailure(result) ? reason(result) : `${counted(result.value, "run")} cancelled`)
  )
  const open = openStatuses
    .filter((status) => filters.status === undefined || filters.status === status)
    .map((status) => byStatus?.[status] ?? notCounted)
  const isCapped = open.some(({ more }) => more)
  const n = open.reduce((sum, one) => sum + one.count, 0)
  if (byStatus === undefined || (n === 0 && !isCapped)) return null
  const runs = !isCapped ? counted(n, "open run") : n === 0 ? "all open runs" : `${count(n)} or more open runs`
  const number = n === 0 ? "" : ` (${count(n)}${isCapped ? "+" : ""})`
  return (
    <>
      <Button kind="danger" disabled={isDisabled} onClick={() => ask(true)}>
        <Ban aria-hidden />
        {isCancelling ? "Canceling…" : `Cancel all open${number}`}
      </Button>
      {isAsked ? (
        <Suspense>
          <Confirm
            title={`Cancel ${runs}?`}
            action={`Cancel ${runs}`}
            onClose={() => ask(false)}
            onConfirm={() => cancel(text)}
          >
            {text === ""
              ? "These are all open runs that your key can see. "
              : "These are all open runs that match the filters, including runs that aren't loaded. "}
            Their agents stop immediately. Their cost so far still counts. This can't be undone, but you can run them
            again.
          </Confirm>
        </Suspense>
      ) : null}
    </>
  )
}

/** Saves all runs of the list as a file. An export that takes long shows its progress, on later visits as well. */
const Export = ({ text }: { readonly text: string }) => {
  const n = useAtomValue(exportedRuns)
  const [save, isDisabled, isSaving] = useChange(exportRuns, (result) => {
    const runs = counted(registry.get(exportedRuns), "run")
    if (AsyncResult.isInterrupted(result)) return say(`Export canceled after ${runs}. No file was saved.`)
    if (AsyncResult.isFailure(result)) {
      return say(`The export stopped after ${runs}, and no file was saved. ${reason(result)}`)
    }
    return say(
      result.value.isWhole
        ? `${runs} exported`
        : `The file has the newest ${runs} only, because it reached 500 MB. Filter by date to export the others.`
    )
  })
  if (isSaving) {
    return (
      <Button onClick={() => registry.set(exportRuns, Atom.Interrupt)}>
        <X aria-hidden />
        Cancel the export ({count(n)})
      </Button>
    )
  }
  return (
    <>
      {(["csv", "json"] as const).map((format) => (
        <Button key={format} disabled={isDisabled} onClick={() => save({ text, format })}>
          <Download aria-hidden />
          {format.toUpperCase()}
        </Button>
      ))}
    </>
  )
}

const NewRuns = ({ text }: { readonly text: string }) => {
  const fresh = useAtomValue(newRuns)
  if (fresh.length === 0) return null
  return (
    <Button onClick={() => registry.refresh(runPages(text))}>
      <ArrowUp aria-hidden />
      Show {count(fresh.length)}
      {fresh.length < mostNewRuns ? "" : "+"} new
    </Button>
  )
}

/** The ids of a list without the runs whose status has changed to one that the filter leaves out. */
const useFitting = (ids: ReadonlyArray<string>, filters: FilterTexts): ReadonlyArray<string> => {
  const hasStatus = filters.status !== undefined
  const time = useAtomValue(counts(withoutStatus(filters)))
  return useMemo(
    () =>
      hasStatus
        ? ids.filter((id) => {
            const run = registry.get(runRow(id))
            return run === undefined || fits(run, filters)
          })
        : ids,
    // the counts are read again whenever runs have changed
    [ids, filters, hasStatus, time]
  )
}

const List = ({ filters, text }: { readonly filters: FilterTexts; readonly text: string }) => {
  const [result, more] = useAtom(runPages(text))
  const byStatus = valueOf(useAtomValue(counts(withoutStatus(filters))))
  const pages = AsyncResult.isSuccess(result) ? result.value.items : undefined
  const isDone = AsyncResult.isSuccess(result) && result.value.done
  const all = useMemo(() => pages?.flatMap(({ ids }) => ids) ?? [], [pages])
  const ids = useFitting(all, filters)
  const onEnd = useCallback(() => {
    const current = registry.get(runPages(text))
    if (AsyncResult.isSuccess(current) && !current.waiting && !current.value.done) more()
  }, [more, text])
  // a search that no index answers has pages without rows: go on until there is one
  const isSearching = pages !== undefined && ids.length === 0 && !isDone
  useEffect(() => {
    if (isSearching && !result.waiting) more()
  }, [isSearching, more, result.waiting])
  if (AsyncResult.isFailure(result) && !result.waiting) {
    return (
      <Failed
        icon={CloudOff}
        title="Couldn't load the runs"
        reason={reason(result)}
        onRetry={() => registry.refresh(runPages(text))}
      />
    )
  }
  if (pages === undefined || isSearching) return <Loading what="runs" lines={12} />
  if (ids.length > 0) {
    const chosen = runStatuses
      .filter((status) => filters.status === undefined || status === filters.status)
      .map((status) => byStatus?.[status] ?? notCounted)
    const total = chosen.some(({ more: isCapped }) => isCapped)
      ? undefined
      : chosen.reduce((sum, { count: n }) => sum + n, 0)
    return <RunsTable key={text} text={text} ids={ids} total={total} onEnd={onEnd} />
  }
  if (text !== "") {
    return (
      <Message icon={SearchX} title="No runs match these filters">
        <p>Search looks for whole words in tasks. Only the last word can be incomplete.</p>
        <Link to="/runs" className={buttonClass()}>
          Clear the filters
        </Link>
      </Message>
    )
  }
  return (
    <Message icon={Play} title="No runs yet">
      <p>A run appears here as soon as a client or this console starts one.</p>
      <Link to="/start" className={buttonClass("primary")}>
        Start a run
      </Link>
    </Message>
  )
}

/** All runs, newest first: search them, filter them, cancel them, run them again, export them. */
const RunsScreen = () => {
  const text = useAtomValue(filterText)
  const filters = useMemo(() => filtersOf(text), [text])
  useEffect(() => registry.set(lastList, text), [text])
  // a list that was read for an earlier visit lacks the runs that began since
  useEffect(() => {
    if (registry.get(newRuns).length > 0) registry.refresh(runPages(registry.get(filterText)))
  }, [])
  return (
    <div className={styles["screen"]}>
      <div className={styles["bar"]}>
        <div className={styles["title"]}>
          <h1>Runs</h1>
          <div className={styles["actions"]}>
            <NewRuns text={text} />
            <Selection />
            <CancelAll filters={filters} text={text} />
            <Export text={text} />
          </div>
        </div>
        <div className={styles["tools"]}>
          <SearchField value={filters.search ?? ""} />
          <StatusChoice filters={filters} text={withoutStatus(filters)} />
          <ColumnChoice />
          <MoreFilters filters={filters} />
        </div>
        <InForce filters={filters} />
        <Views text={text} />
      </div>
      <List filters={filters} text={text} />
    </div>
  )
}

export default RunsScreen
