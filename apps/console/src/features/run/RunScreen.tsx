import type { ModelCall, Run, RunDetails, RunStep } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { ArrowLeft, Braces, CloudOff, Code2, FileDown, FileQuestion, RotateCcw, Square } from "lucide-react"
import { lazy, Suspense, useEffect, useMemo, useState } from "react"
import { errorTag, reason } from "../../state/client.ts"
import { runRow } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { go } from "../../state/place.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { cancelRuns, retryRuns } from "../../state/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { CopyButton } from "../../ui/CopyButton.tsx"
import { download } from "../../ui/download.ts"
import { count, msOf, now, span, usd } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Failed, Loading, Message } from "../../ui/Message.tsx"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Detail } from "./Detail.tsx"
import { markdownOf } from "./exported.ts"
import { FollowUp } from "./FollowUp.tsx"
import { isOver, mergeCalls, mergeSteps, rowsOfRun, runPage } from "./run.state.ts"
import styles from "./RunScreen.module.css"
import { Steps } from "./Steps.tsx"

const CodeDialog = lazy(() => import("../start/CodeDialog.tsx"))

const Again = ({ id }: { readonly id: string }) => {
  const [retry, isWaiting] = useChange(retryRuns, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    const [started] = result.value.started
    return started === undefined ? say("The run could not be found") : go(`/runs/${started.run.id}`)
  })
  return (
    <Button disabled={isWaiting} onClick={() => retry({ payload: { ids: [id] } })}>
      <RotateCcw aria-hidden />
      Run again
    </Button>
  )
}

const Stop = ({ id }: { readonly id: string }) => {
  const [cancel, isWaiting] = useChange(cancelRuns, (result) => {
    if (AsyncResult.isFailure(result)) say(reason(result))
  })
  return (
    <Button kind="danger" disabled={isWaiting} onClick={() => cancel({ payload: { ids: [id] } })}>
      <Square aria-hidden />
      Stop
    </Button>
  )
}

const Took = ({ finishedAt, startedAt }: Pick<Run, "finishedAt" | "startedAt">) => {
  const now_ms = useAtomValue(now)
  if (startedAt === null) return "–"
  return span((finishedAt === null ? Math.max(now_ms, msOf(startedAt)) : msOf(finishedAt)) - msOf(startedAt))
}

interface HeadProps {
  readonly run: RunDetails
  /** The newest facts about the run. */
  readonly row: Run
  readonly steps: ReadonlyArray<RunStep>
}

const Head = ({ row, run, steps }: HeadProps) => {
  const [dialog, open] = useState(false)
  const tokens = (row.totalInputTokens ?? 0) + (row.totalOutputTokens ?? 0)
  return (
    <header className={styles["head"]}>
      <div className={styles["top"]}>
        <Link to="/runs" className={styles["back"]} aria-label="All runs">
          <ArrowLeft aria-hidden size={16} />
        </Link>
        <Status of={row.status} />
        <code>{row.id}</code>
        <CopyButton text={row.id} label="Copy the id" isLabeled={false} />
        <div className={styles["actions"]}>
          <Button onClick={() => download(`run-${row.id}.md`, "text/markdown", markdownOf(run, steps))}>
            <FileDown aria-hidden />
            Markdown
          </Button>
          <Button
            onClick={() => download(`run-${row.id}.json`, "application/json", JSON.stringify({ run, steps }, null, 2))}
          >
            <Braces aria-hidden />
            JSON
          </Button>
          <Button onClick={() => open(true)}>
            <Code2 aria-hidden />
            Copy as code
          </Button>
          <Again id={row.id} />
          {row.finishedAt === null ? <Stop id={row.id} /> : null}
        </div>
      </div>
      <h1 title={row.title === null ? undefined : row.task}>
        <Untrusted max={2000}>{row.title ?? row.task}</Untrusted>
      </h1>
      <dl className={styles["facts"]}>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={row.createdAt} />
          </dd>
        </div>
        <div>
          <dt>Took</dt>
          <dd>
            <Took startedAt={row.startedAt} finishedAt={row.finishedAt} />
          </dd>
        </div>
        <div>
          <dt>Steps</dt>
          <dd>{row.steps}</dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>{usd(row.totalCostUsd)}</dd>
        </div>
        {tokens === 0 ? null : (
          <div>
            <dt>Tokens</dt>
            <dd>{count(tokens)}</dd>
          </div>
        )}
        {(
          [
            ["Model", row.model],
            ["Key", row.owner],
            ["Node", row.node],
            ["Tags", row.tags.length === 0 ? null : row.tags.join(", ")]
          ] as const
        ).map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Untrusted max={60}>{value}</Untrusted>
              </dd>
            </div>
          )
        )}
      </dl>
      {dialog ? (
        <Suspense>
          <CodeDialog
            body={{ task: row.task, ...(run.modelParams === null ? {} : { modelParams: run.modelParams }) }}
            onClose={() => open(false)}
          />
        </Suspense>
      ) : null}
    </header>
  )
}

interface ContentProps {
  readonly run: RunDetails
  readonly steps: ReadonlyArray<RunStep>
  readonly calls: ReadonlyArray<ModelCall>
}

const Content = ({ calls: readCalls, run, steps: readSteps }: ContentProps) => {
  const row = useAtomValue(runRow(run.id)) ?? run
  const live = rowsOfRun(run.id)
  const newSteps = useAtomValue(live.steps)
  const newCalls = useAtomValue(live.calls)
  const steps = useMemo(() => mergeSteps(readSteps, newSteps), [newSteps, readSteps])
  const calls = useMemo(() => mergeCalls(readCalls, newCalls), [newCalls, readCalls])
  // the newest step is shown until one is chosen
  const [chosen, choose] = useState<number | undefined>(undefined)
  const shown = steps.find(({ number }) => number === chosen) ?? steps.at(-1)
  const isRunning = row.finishedAt === null
  return (
    <div className={styles["screen"]}>
      <Head run={run} row={row} steps={steps} />
      <div className={styles["timeline"]}>
        {steps.length === 0 ? (
          <p className={styles["none"]}>{isRunning ? "Waiting for the first step…" : "This run has no steps."}</p>
        ) : (
          <Steps steps={steps} shown={shown} follows={chosen === undefined && isRunning} onShow={choose} />
        )}
        <FollowUp id={run.id} sessionId={run.sessionId} isOver={!isRunning} />
      </div>
      <Detail run={{ ...run, ...row }} step={shown} calls={calls} />
    </div>
  )
}

/** A run: its steps as they happen, its result or its error, and what it asked of models. */
const RunScreen = ({ id }: { readonly id: string }) => {
  const page = runPage(id)
  const result = useAtomValue(page)
  const over = useAtomValue(isOver(id))
  const wasOpen = AsyncResult.isSuccess(result) && result.value.run.finishedAt === null
  // details such as the result are not in events
  useEffect(() => {
    if (over && wasOpen) registry.refresh(page)
  }, [over, page, wasOpen])
  if (AsyncResult.isSuccess(result)) return <Content key={id} {...result.value} />
  if (errorTag(result) === "NotFoundError") {
    return (
      <Message icon={FileQuestion} title="There is no such run" alert whole>
        <p>It was deleted, or your key doesn't see it.</p>
        <Link to="/runs">All runs</Link>
      </Message>
    )
  }
  if (AsyncResult.isFailure(result) && !result.waiting) {
    return (
      <Failed
        icon={CloudOff}
        title="The run could not be read"
        reason={reason(result)}
        onRetry={() => registry.refresh(page)}
        whole
      />
    )
  }
  return <Loading what="the run" />
}

export default RunScreen
