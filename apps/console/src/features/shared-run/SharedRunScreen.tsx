import type { SharedRun } from "@webagent/admin"
import { useEffect, useMemo, useState } from "react"
import { numberInQuery, setInQuery } from "../../state/place.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { count, usd } from "../../ui/format.ts"
import { RecordHead } from "../../ui/Record.tsx"
import { Time } from "../../ui/Time.tsx"
import { Took } from "../../ui/Took.tsx"
import { Failure, madeUp, Outcome, StepDetail } from "../run/Detail.tsx"
import { Recording } from "../run/Recording.tsx"
import type { RecordingFile } from "../run/run.state.ts"
import { allSteps } from "../run/stepFilter.ts"
import { StepList } from "../run/StepList.tsx"
import { Timeline } from "../run/Timeline.tsx"
import run from "../run/RunScreen.module.css"
import { linkToken, sharedRun } from "./shared-run.state.ts"
import styles from "./SharedRunScreen.module.css"

/** Time between two reads of a run that isn't finished. A link has no events. */
const pause_ms = 5000

const Content = ({ of: { stepList: steps, ...shared } }: { readonly of: SharedRun }) => {
  // a new object for each choice, so that choosing the same step again rewinds to it
  const [chosen, setChosen] = useState<{ readonly number: number | undefined }>(() => ({
    number: numberInQuery("step")
  }))
  const choose = (number: number) => {
    setChosen({ number })
    setInQuery("step", String(number))
  }
  const step = steps.find(({ number }) => number === chosen.number) ?? steps.at(-1)
  const wanted = useMemo(
    () => (chosen.number === undefined || step === undefined ? undefined : { ...step }),
    [chosen, step]
  )
  const pictureOf = (number: number) =>
    `/share/runs/${encodeURIComponent(shared.id)}/steps/${number}/picture?token=${encodeURIComponent(linkToken())}`
  const { createdAt, id, recording, startedAt } = shared
  // a link doesn't tell when the browser started, which is about when its only run did
  const file = useMemo<RecordingFile | null>(
    () =>
      recording
        ? {
            address: `/share/runs/${encodeURIComponent(id)}/recording?token=${encodeURIComponent(linkToken())}`,
            isVideo: true,
            browser: { startedAt: startedAt ?? createdAt, finishedAt: null }
          }
        : null,
    [createdAt, id, recording, startedAt]
  )
  const [playhead_ms, setPlayhead] = useState<number | undefined>(undefined)
  const [filter, setFilter] = useState(allSteps)
  return (
    <div className={run["screen"]}>
      <RecordHead
        status={shared.status}
        id={shared.id}
        title={shared.title ?? shared.task}
        task={shared.task}
        facts={[
          ["Created", <Time key="created" at={shared.createdAt} />],
          ["Took", <Took key="took" startedAt={shared.startedAt} finishedAt={shared.finishedAt} />],
          ["Steps", count(shared.steps)],
          ["Cost", usd(shared.totalCostUsd)],
          ["Model", shared.model],
          ["Simulated", shared.simulated ? madeUp : null]
        ]}
      />
      {steps.length === 0 ? null : (
        <Timeline
          run={shared}
          steps={steps}
          calls={[]}
          chosen={step}
          playhead_ms={playhead_ms}
          pictureOf={pictureOf}
          onShow={choose}
          range={filter.range}
          onRange={(range) => setFilter({ ...filter, range })}
        />
      )}
      <div className={run["steps"]}>
        {steps.length === 0 ? (
          <p className={run["none"]}>This run has no steps.</p>
        ) : (
          <StepList
            steps={steps}
            filter={filter}
            onFilter={setFilter}
            shown={step}
            isOver={shared.finishedAt !== null}
            follows={chosen.number === undefined}
            onShow={choose}
          />
        )}
      </div>
      <div className={run["detail"]} role="region" aria-label="Details" tabIndex={0}>
        <div className={run["outcome"]}>
          <Failure run={{ ...shared, failure: shared.reason }} isMadeUp={shared.simulated} />
          <Outcome run={shared} />
        </div>
        {file === null ? null : <Recording of={file} wanted={wanted} onTime={setPlayhead} />}
        {step === undefined ? null : <StepDetail step={step} steps={steps} calls={[]} pictureOf={pictureOf} />}
      </div>
    </div>
  )
}

/** One run, for people with its link and without a key. */
const SharedRunScreen = ({ id }: { readonly id: string }) => {
  const page = sharedRun(id)
  const result = useAtomValue(page)
  const isOpen = valueOf(result)?.finishedAt === null
  useEffect(() => {
    document.title = "Shared run · webagent"
  }, [])
  useEffect(() => {
    if (!isOpen) return
    const timer = window.setInterval(() => registry.refresh(page), pause_ms)
    return () => window.clearInterval(timer)
  }, [isOpen, page])
  return (
    <main className={styles["screen"]}>
      <Answer
        of={result}
        what="run"
        missing={
          <p>
            This link doesn't work. Check that it's complete, or ask for a new one: links expire and can be revoked.
          </p>
        }
        onRetry={() => registry.refresh(page)}
      >
        {(shared) => <Content of={shared} />}
      </Answer>
    </main>
  )
}

export default SharedRunScreen
