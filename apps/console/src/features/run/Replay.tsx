import type { RunDetails } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Repeat2 } from "lucide-react"
import { reason, serverInfo } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { go } from "../../state/place.ts"
import { useAtomValue, useChange } from "../../state/react.ts"
import { createRun, valueOf } from "../../state/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { count } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import type { Fact } from "../../ui/Record.tsx"
import styles from "./RunScreen.module.css"

/** The run that a replay repeats, and how its steps were repeated once it's over. Empty for another run. */
export const replayFacts = ({
  finishedAt,
  replay = null
}: Pick<RunDetails, "finishedAt" | "replay">): ReadonlyArray<Fact> =>
  replay === null
    ? []
    : [
        [
          "Replays",
          <Link key="replays" to={`/runs/${replay.of}`} className={styles["watch"]}>
            an earlier run
          </Link>
        ],
        [
          "Repeated steps",
          // events don't tell the counts, which are read again at the end of the run
          finishedAt === null ? null : (
            <span key="steps" title="Healed: its element had moved, and was found by its role and name">
              {count(replay.replayed)} as recorded, {count(replay.healed)} healed, {count(replay.asked)} by the model
            </span>
          )
        ]
      ]

/** Repeats the steps of a completed run, without the model or with its help. Renders null where the server or the key can't. */
export const Replay = ({ run }: { readonly run: RunDetails }) => {
  const info = valueOf(useAtomValue(serverInfo))
  const [start, isWaiting] = useChange(createRun, (result) =>
    AsyncResult.isFailure(result) ? say(reason(result)) : go(`/runs/${result.value.id}`)
  )
  const mayReplay = info !== undefined && info.has.includes("replays") && info.key.operations.includes("runs.create")
  if (!mayReplay || run.status !== "completed") return null
  const replay = (asksModel: boolean) => start({ payload: { task: run.task, replayOf: { runId: run.id, asksModel } } })
  return (
    <Section title="Replay">
      <p>
        Repeats the steps in a new browser. Without a model, it costs nothing and fails at a step that can't be
        repeated.
      </p>
      <div className={styles["mark"]}>
        <Button disabled={isWaiting} onClick={() => replay(false)}>
          <Repeat2 aria-hidden />
          Replay without a model
        </Button>
        <Button disabled={isWaiting} onClick={() => replay(true)}>
          <Repeat2 aria-hidden />
          Replay with a model
        </Button>
      </div>
    </Section>
  )
}
