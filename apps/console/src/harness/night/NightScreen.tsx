import type { AcceptNight, NightDetail } from "@webagent/harness-api"
import * as NightText from "@webagent/findings/words/NightText"
import * as PartialText from "@webagent/findings/words/PartialText"
import type { ScenarioName } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type FormEvent, useState } from "react"
import { reason } from "../../state/errors.ts"
import { say } from "../../state/notices.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { SelectField, TextField } from "../../ui/Field.tsx"
import { count, counted, span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { RecordHead } from "../../ui/Record.tsx"
import { Table } from "../../ui/Table.tsx"
import { Moment } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { costText, usd } from "../state/cost.ts"
import { Findings } from "../parts/Findings.tsx"
import form from "../parts/Form.module.css"
import { Verdict } from "../parts/Verdict.tsx"
import { compareAddress, nightAddress, runAddress, scenarioAddress } from "../state/address.ts"
import { change, project, nightOf, canOf, source } from "../state/source.ts"
import styles from "./NightScreen.module.css"

const acceptNight = change(["nights"], ({ accept }, { night, ...accepted }: AcceptNight & { readonly night: string }) =>
  accept(night, accepted)
)

const whole = ""

/** Accepts what regressed in a night as the new level. */
const Accept = ({ of: { accepted, night } }: { readonly of: NightDetail }) => {
  const [isOpen, open] = useState(false)
  const [chosen, choose] = useState(whole)
  const [note, setNote] = useState("")
  const scenarios = (night.regressed ?? []).flatMap(({ scenario }): ReadonlyArray<ScenarioName> =>
    scenario === null ? [] : [scenario]
  )
  const [send, isWaiting] = useChange(acceptNight, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    say("Accepted. Later nights are compared with the new level.")
    open(false)
  })
  if ((night.regressed ?? []).length === 0) return null
  if (accepted === true) return <p>All regressions of this night were accepted as the new level.</p>
  if (!isOpen) {
    return (
      <div>
        <Button onClick={() => open(true)}>Accept the new level…</Button>
      </div>
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const scenario = scenarios.find((one) => scenarioTitle(one) === chosen)
    send({
      night: night.id,
      ...(scenario === undefined ? {} : { scenario }),
      ...(note.trim() === "" ? {} : { note: note.trim() })
    })
  }
  return (
    <form className={form["form"]} onSubmit={submit} aria-label="Accept the new level">
      <SelectField
        label="Scope"
        hint="Later nights are compared with measurements from this night on"
        value={chosen}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value={whole}>All regressions of this night</option>
        {scenarios.map((scenario) => (
          <option key={scenarioTitle(scenario)} value={scenarioTitle(scenario)}>
            {scenarioTitle(scenario)}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Note"
        hint="For example, the change that made it slower on purpose"
        maxLength={2000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <div className={form["actions"]}>
        <Button onClick={() => open(false)}>Back</Button>
        <Button kind="primary" type="submit" disabled={isWaiting}>
          Accept
        </Button>
      </div>
    </form>
  )
}

const order = ["claimed", "failed", "flaky", "infra", "unscored", "skipped", "passed"]

/** The passed scenarios of those that ran. A night has no others if a shard is missing. */
const passedOf = ({ partial, scenarios }: NightDetail["night"]): string => {
  const ran = scenarios.filter(({ verdict }) => verdict !== "skipped")
  const passed = ran.filter(({ verdict }) => verdict === "passed").length
  const isCut = ran.length < scenarios.length || partial?._tag === "Limit" || partial?._tag === "LostShard"
  return `${passed} of ${counted(ran.length, "scenario")}${isCut ? " that ran" : ""}`
}

const NightView = ({ of: detail }: { readonly of: NightDetail }) => {
  const { next, night, previous, run } = detail
  const can = canOf(useAtomValue(project))
  const { duration_ms, findings = [], fingerprint, id, partial, scenarios, seed, startedAt, status } = night
  return (
    <div className={styles["screen"]}>
      <RecordHead
        back={["/", "Nights"]}
        status={night.tag === undefined ? (status ?? "no status") : "service unavailable"}
        id={id.slice(0, 12)}
        title={NightText.titleOf({ ...night, findings })}
        facts={[
          ["Started", <Moment key="at" at={startedAt} />],
          ["Took", span(duration_ms)],
          ["Passed", passedOf(night)],
          ["Cost", costText(night.cost_usd, Number(NightText.confirmCostOf(night)), fingerprint.target)],
          ["Target", fingerprint.target],
          ["Version", fingerprint.tool],
          ["Seed", String(seed)],
          ["Partial", partial === undefined ? null : PartialText.text(partial)]
        ]}
        actions={
          <>
            {run === null ? null : <Link to={runAddress(run)}>The run</Link>}
            {previous === null ? null : (
              <>
                <Link to={compareAddress(id, previous)}>Compare with the previous night</Link>
                <Link to={nightAddress(previous)}>Previous night</Link>
              </>
            )}
            {next === null ? null : <Link to={nightAddress(next)}>Next night</Link>}
          </>
        }
      />
      <div className={styles["body"]}>
        {run === null ? <p>This run's report is gone. The history has no further details.</p> : null}
        {!isFile && can.change ? <Accept of={detail} /> : null}
        <Findings of={findings} run={run} night={id} startedAt={startedAt} replays={[]} canChange={can.change} />
        <Section title="Scenarios">
          <Table
            label="Scenarios"
            rows={scenarios.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))}
            keyOf={({ name, suite }) => JSON.stringify([suite, name])}
            columns={[
              {
                name: "Scenario",
                cell: (scenario) => (
                  <Link to={scenarioAddress(scenario)} data-row>
                    <Untrusted max={120}>{scenarioTitle(scenario)}</Untrusted>
                  </Link>
                )
              },
              { name: "Verdict", cell: ({ verdict }) => <Verdict of={verdict} /> },
              { name: "Passed", isNumber: true, cell: ({ passed, scored }) => `${passed} of ${scored}` },
              {
                name: "Duration",
                isNumber: true,
                cell: ({ durations }) => (durations === undefined ? "–" : span(durations.median_ms))
              },
              { name: "Cost", isNumber: true, cell: ({ cost_usd: cost }) => usd(cost) },
              { name: "Requests", isNumber: true, cell: ({ requests }) => count(requests) }
            ]}
          />
        </Section>
      </div>
    </div>
  )
}

/** A night as the history has it. */
const NightScreen = ({ id }: { readonly id: string }) => {
  const report = useAtomValue(source)?.reportOf(id)
  return (
    <Answer
      of={useAtomValue(nightOf(id))}
      what="night"
      missing={
        <>
          {report === undefined ? null : <a href={report}>This night's report</a>} <Link to="/">Nights</Link>
        </>
      }
      onRetry={() => registry.refresh(nightOf(id))}
    >
      {(detail) => <NightView of={detail} />}
    </Answer>
  )
}

export default NightScreen
