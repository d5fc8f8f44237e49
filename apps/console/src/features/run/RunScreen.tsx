import { type Attachment, consoleApiPath, type ModelCall, type RunDetails, type RunStep } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Ban, Code2, FileDown, Link2, RotateCcw } from "lucide-react"
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react"
import { isSimulated, reason, serverInfo } from "../../state/client.ts"
import { browserOfRun, browserRow, runRow } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { go, numberInQuery, setInQuery, titleOf } from "../../state/place.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { cancelRuns, isFinal, retryRuns, valueOf } from "../../state/runs.ts"
import { RecordAnswer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { count, usd } from "../../ui/format.ts"
import { RecordHead } from "../../ui/Record.tsx"
import { Short } from "../../ui/Short.tsx"
import { Time } from "../../ui/Time.tsx"
import { Took } from "../../ui/Took.tsx"
import { shown } from "../../ui/untrustedText.ts"
import { lastList } from "../runs/runs.state.ts"
import { Detail, madeUp } from "./Detail.tsx"
import { bodyOf } from "./values.ts"
import { FollowUp } from "./FollowUp.tsx"
import { Neighbors } from "./Neighbors.tsx"
import { Recording, RecordingNote } from "./Recording.tsx"
import { replayFacts } from "./Replay.tsx"
import { mergeCalls, mergeSteps, type RecordingFile, rowsOfRun, runPage, stageOf, stageOfRun } from "./run.state.ts"
import styles from "./RunScreen.module.css"
import { Scenario } from "./Scenario.tsx"
import type { PictureOf } from "./StepPictures.tsx"
import { allSteps } from "./stepFilter.ts"
import { StepList } from "./StepList.tsx"
import { Timeline } from "./Timeline.tsx"
import { stepAt } from "./timeline.ts"

const CodeDialog = lazy(() => import("../start/CodeDialog.tsx"))
const ShareDialog = lazy(() => import("../share/ShareDialog.tsx"))
const StoppedClock = lazy(() => import("../simulation/StoppedClock.tsx"))
const ExportDialog = lazy(() => import("./ExportDialog.tsx"))

const Again = ({ id }: { readonly id: string }) => {
  const [retry, isWaiting] = useChange(retryRuns, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    const [started] = result.value.started
    if (started === undefined) return say(result.value.refused?.[0]?.detail ?? "Couldn't find the run")
    return go(`/runs/${started.run.id}`)
  })
  return (
    <Button disabled={isWaiting} onClick={() => retry({ payload: { ids: [id] } })}>
      <RotateCcw aria-hidden />
      Run again
    </Button>
  )
}

/** Cancels a run. The button stays after the end of the run, so that no other one moves under the pointer. */
const Cancel = ({ id, isOver }: { readonly id: string; readonly isOver: boolean }) => {
  const [cancel, isWaiting] = useChange(cancelRuns, (result) => {
    if (AsyncResult.isFailure(result)) say(reason(result))
  })
  return (
    // a button that is disabled would lose the focus
    <Button
      kind="danger"
      aria-disabled={isWaiting || isOver}
      onClick={() => (isWaiting || isOver ? undefined : cancel({ payload: { ids: [id] } }))}
    >
      <Ban aria-hidden />
      Cancel run
    </Button>
  )
}

interface ContentProps {
  readonly run: RunDetails
  readonly steps: ReadonlyArray<RunStep>
  readonly calls: ReadonlyArray<ModelCall>
  readonly recording: RecordingFile | null
}

interface PageProps extends ContentProps {
  readonly attachments: ReadonlyArray<Attachment>
}

interface HeadProps extends ContentProps {
  readonly pictureOf: PictureOf
}

const Head = ({ run, ...parts }: HeadProps) => {
  const [dialog, open] = useState<"code" | "export" | "share" | undefined>(undefined)
  const close = () => open(undefined)
  const list = useAtomValue(lastList)
  const { driver = null } = useAtomValue(browserRow(run.browserId ?? "")) ?? {}
  const info = valueOf(useAtomValue(serverInfo))
  const hasShares = info?.has.some((part) => part === "shares") ?? false
  const isOver = run.finishedAt !== null
  const [wasOver] = useState(isOver)
  const tokens = (run.totalInputTokens ?? 0) + (run.totalOutputTokens ?? 0)
  return (
    <>
      <RecordHead
        back={[`/runs${list ?? ""}`, "All runs"]}
        neighbors={list === undefined ? null : <Neighbors id={run.id} list={list} />}
        status={run.status}
        id={run.id}
        actions={
          <>
            {wasOver ? null : <Cancel id={run.id} isOver={isOver} />}
            {hasShares ? (
              <Button onClick={() => open("share")}>
                <Link2 aria-hidden />
                {run.shared ? "Shared" : "Share"}
              </Button>
            ) : null}
            <Button onClick={() => open("export")}>
              <FileDown aria-hidden />
              Export
            </Button>
            <Button onClick={() => open("code")}>
              <Code2 aria-hidden />
              Copy as code
            </Button>
            <Again id={run.id} />
          </>
        }
        title={run.title ?? run.task}
        task={run.task}
        facts={[
          ["Created", <Time key="created" at={run.createdAt} />],
          ["Took", <Took key="took" startedAt={run.startedAt} finishedAt={run.finishedAt} />],
          ["Steps", count(run.steps)],
          ["Cost", `${usd(run.totalCostUsd)}${run.failure === "cost_limit" ? " (limit reached)" : ""}`],
          ["Tokens", tokens === 0 ? null : count(tokens)],
          ["Model", run.model],
          ["Attached files", run.attachedFileIds === null ? null : count(run.attachedFileIds.length)],
          [
            "Driven by",
            isOver ? null : driver !== null && run.status === "running" ? `${driver}; the agent is waiting` : driver
          ],
          ["Key", run.owner],
          ["Simulated", isSimulated(info) ? madeUp : null],
          ["Node", run.node === null ? null : <Short key="node" of={run.node} />],
          ...replayFacts(run),
          ["Tags", run.tags.length === 0 ? null : run.tags.join(", ")]
        ]}
      />
      <Suspense>
        {dialog === "code" ? (
          <CodeDialog body={bodyOf(run)} more={{ Scenario: <Scenario run={run} /> }} onClose={close} />
        ) : null}
        {dialog === "share" ? (
          <ShareDialog id={run.id} onChange={() => registry.refresh(runPage(run.id))} onClose={close} />
        ) : null}
        {dialog === "export" ? <ExportDialog run={run} {...parts} onClose={close} /> : null}
      </Suspense>
    </>
  )
}

/** The step that is shown, and who chose it: a person, or the recording that plays. */
interface Choice {
  readonly number: number
  readonly by: "person" | "recording"
}

/** The step in the page's address. */
const linkedStep = (): Choice | undefined => {
  const number = numberInQuery("step")
  return number === undefined ? undefined : { number, by: "person" }
}

/** Most characters of a task in the title of a tab. */
const tabTitle = 60

const Content = ({ attachments, calls: readCalls, recording, run: read, steps: readSteps }: PageProps) => {
  const row = useAtomValue(runRow(read.id))
  const learned = useAtomValue(browserOfRun(read.id))
  const run = useMemo(() => ({ ...read, ...row, browserId: read.browserId ?? learned }), [learned, read, row])
  const live = rowsOfRun(run.id)
  const newSteps = useAtomValue(live.steps)
  const newCalls = useAtomValue(live.calls)
  const steps = useMemo(() => mergeSteps(readSteps, newSteps), [newSteps, readSteps])
  const calls = useMemo(() => mergeCalls(readCalls, newCalls), [newCalls, readCalls])
  // the newest step is shown until one is chosen, which a link to this page then has
  const [choice, setChoice] = useState(linkedStep)
  const [playhead_ms, setPlayhead] = useState<number | undefined>(undefined)
  const [filter, setFilter] = useState(allSteps)
  const chosen = steps.find(({ number }) => number === choice?.number) ?? steps.at(-1)
  const choose = (number: number) => {
    setChoice({ number, by: "person" })
    setInQuery("step", String(number))
  }
  // a new object for each choice of a person, so that choosing the same step again rewinds to it
  const wanted = useMemo(() => {
    const step = choice?.by === "person" ? steps.find(({ number }) => number === choice.number) : undefined
    return step && { ...step }
  }, [choice, steps])
  const title = shown(run.title ?? run.task, tabTitle).text
  useEffect(() => {
    document.title = titleOf(title)
  }, [title])
  const isRunning = run.finishedAt === null
  const hasClock = valueOf(useAtomValue(serverInfo))?.has.some((part) => part === "simulation") ?? false
  const pictureOf = (number: number) => `${consoleApiPath}/runs/${encodeURIComponent(run.id)}/steps/${number}/picture`
  return (
    <div className={styles["screen"]}>
      <Head run={run} steps={steps} calls={calls} recording={recording} pictureOf={pictureOf} />
      {steps.length === 0 ? null : (
        <Timeline
          run={run}
          steps={steps}
          calls={calls}
          chosen={chosen}
          playhead_ms={playhead_ms}
          pictureOf={pictureOf}
          onShow={choose}
          range={filter.range}
          onRange={(range) => setFilter({ ...filter, range })}
        />
      )}
      <div className={styles["steps"]}>
        {steps.length === 0 ? (
          <p className={styles["none"]}>{isRunning ? "Waiting for the first step…" : "This run has no steps."}</p>
        ) : (
          <StepList
            steps={steps}
            filter={filter}
            onFilter={setFilter}
            shown={chosen}
            isOver={!isRunning}
            follows={choice === undefined}
            onShow={choose}
          />
        )}
        <div>
          {isRunning && hasClock ? (
            <Suspense>
              <StoppedClock />
            </Suspense>
          ) : null}
          <FollowUp id={run.id} sessionId={run.sessionId} isOver={!isRunning} />
        </div>
      </div>
      <Detail
        run={run}
        step={chosen}
        steps={steps}
        calls={calls}
        pictureOf={pictureOf}
        attachments={attachments}
        recording={
          recording === null ? (
            <RecordingNote run={run} />
          ) : (
            <Recording
              of={recording}
              wanted={wanted}
              onTime={(at_ms, isPlaying) => {
                setPlayhead(at_ms)
                const step = stepAt(steps, at_ms)
                if (isPlaying && step !== undefined && step.number !== chosen?.number)
                  setChoice({ number: step.number, by: "recording" })
              }}
            />
          )
        }
      />
    </div>
  )
}

/**
 * Times after a cancel at which the page reads its run again: the agent reports its cost when it has stopped, and no event
 * tells that.
 */
const lateCost_ms = [1000, 5000, 15_000]

/** A run: its steps as they happen, its result or its error, and what it asked of models. */
const RunScreen = ({ id }: { readonly id: string }) => {
  const page = runPage(id)
  const result = useAtomValue(page)
  const stage = useAtomValue(stageOf(id))
  const wasAt = AsyncResult.isSuccess(result) ? stageOfRun(result.value.run) : stage
  // details such as the browser and the result are not in events
  useEffect(() => {
    if (stage > wasAt) registry.refresh(page)
  }, [page, stage, wasAt])
  const status = useAtomValue(runRow(id))?.status
  const before = useRef(status)
  useEffect(() => {
    const hasChanged = status !== undefined && before.current !== undefined && before.current !== status
    const wasCancelled = hasChanged && status === "cancelled"
    before.current = status
    if (hasChanged && isFinal(status)) say(`Run ${status}`)
    if (!wasCancelled) return undefined
    const timers = lateCost_ms.map((ms) => window.setTimeout(() => registry.refresh(page), ms))
    return () => timers.forEach((timer) => window.clearTimeout(timer))
  }, [page, status])
  const isInMemory = valueOf(useAtomValue(serverInfo))?.data === "memory"
  return (
    <RecordAnswer
      page={page}
      what="run"
      home={["/runs", "All runs"]}
      missing={
        isInMemory
          ? "This server keeps runs in memory only, so it forgets them when it restarts or is reset."
          : undefined
      }
    >
      {(value) => <Content key={id} {...value} />}
    </RecordAnswer>
  )
}

export default RunScreen
