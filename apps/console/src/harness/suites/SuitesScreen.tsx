import type { Project, SuiteFile, SuiteTree } from "@webagent/harness-api"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { FolderTree } from "lucide-react"
import { useMemo, useState } from "react"
import { reason } from "../../state/errors.ts"
import { say } from "../../state/notices.ts"
import { go, place } from "../../state/place.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import { CopyButton } from "../../ui/CopyButton.tsx"
import { CheckField, SelectField, TextField } from "../../ui/Field.tsx"
import { counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Page } from "../../ui/Page.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Verdict } from "../parts/Verdict.tsx"
import { startRun } from "../run/run.state.ts"
import { runAddress, scenarioAddress } from "../state/address.ts"
import { change, project, suites, canOf } from "../state/source.ts"
import {
  choicesOf,
  commandOf,
  type Filters,
  filtersOf,
  fits,
  keyOf,
  type Listed,
  runOf,
  scenariosOf,
  type Selected,
  textOf
} from "./choice.ts"
import styles from "./SuitesScreen.module.css"

const releaseScenario = change(
  ["suites", "nights"],
  ({ release }, entry: { readonly suite: string; readonly scenario: string }) => release(entry)
)

const set = (filters: Filters, part: Partial<Filters>) =>
  go(`/suites${textOf({ ...filters, ...part })}`, { replace: true })

const FiltersView = ({ filters, tree }: { readonly filters: Filters; readonly tree: SuiteTree }) => {
  const choices = useMemo(() => choicesOf(tree), [tree])
  const select = (label: string, name: "tag" | "owner" | "status", values: ReadonlyArray<string>) =>
    values.length === 0 ? null : (
      <SelectField
        label={label}
        value={filters[name]}
        onChange={({ currentTarget }) => set(filters, { [name]: currentTarget.value })}
      >
        <option value="">All</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {value === "never" ? "never run" : value}
          </option>
        ))}
      </SelectField>
    )
  return (
    <div className={styles["filters"]} role="group" aria-label="Filters">
      <TextField
        label="Scenario"
        type="search"
        placeholder="Part of its name"
        value={filters.text}
        onChange={({ currentTarget }) => set(filters, { text: currentTarget.value })}
      />
      {select("Tag", "tag", choices.tags)}
      {select("Owner", "owner", choices.owners)}
      {select("Last result", "status", choices.statuses)}
    </div>
  )
}

interface RowProps {
  readonly of: Listed
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly canChange: boolean
}

const Row = ({ canChange, isChosen, of: scenario, onChoose }: RowProps) => {
  const { last, mayCost, name, owner, quarantine, skip, suite, tags, where } = scenario
  const [release, isWaiting] = useChange(releaseScenario, (result) =>
    say(AsyncResult.isFailure(result) ? reason(result) : "Removed from quarantine. It can fail a run again.")
  )
  return (
    <li className={styles["row"]}>
      <input type="checkbox" aria-label={`Select ${name}`} checked={isChosen} onChange={onChoose} />
      <div>
        <Link to={scenarioAddress(scenario)} data-row>
          <Untrusted max={140}>{name}</Untrusted>
        </Link>
        <p className={styles["facts"]}>
          {tags.map((tag) => (
            <span key={tag}>
              #<Untrusted max={40}>{tag}</Untrusted>
            </span>
          ))}
          {owner === null ? null : (
            <span>
              owner <Untrusted max={60}>{owner}</Untrusted>
            </span>
          )}
          {mayCost ? <span>may cost money</span> : null}
          {skip === null ? null : (
            <span>
              skipped: <Untrusted max={120}>{skip}</Untrusted>
            </span>
          )}
          {where === null ? null : (
            <span className={styles["where"]}>
              <code>{where}</code>
              <CopyButton text={where} label={`Copy the location of ${name}`} isLabeled={false} />
            </span>
          )}
        </p>
        {quarantine === null ? null : (
          <p className={styles["facts"]}>
            <span>
              Quarantined until {quarantine.expires} by <Untrusted max={60}>{quarantine.owner}</Untrusted>:{" "}
              <Untrusted max={200}>{quarantine.reason}</Untrusted>
            </span>
            {!isFile && canChange ? (
              <Button disabled={isWaiting} onClick={() => release({ suite, scenario: name })}>
                Remove from quarantine
              </Button>
            ) : null}
          </p>
        )}
      </div>
      {last === null ? <span className={styles["never"]}>never run</span> : <Verdict of={last.verdict} />}
    </li>
  )
}

interface FileProps {
  readonly of: SuiteFile
  readonly shown: ReadonlyArray<Listed>
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (keys: ReadonlyArray<string>, isChosen: boolean) => void
  readonly canChange: boolean
}

const File = ({ canChange, chosen, of: { argument, problem, suite }, onChoose, shown }: FileProps) => {
  const keys = shown.map(keyOf)
  const isAll = keys.length > 0 && keys.every((key) => chosen.has(key))
  return (
    <section className={styles["file"]} aria-label={suite ?? argument}>
      <div className={styles["head"]}>
        <input
          type="checkbox"
          aria-label={`Select all of ${suite ?? argument}`}
          checked={isAll}
          disabled={keys.length === 0}
          onChange={() => onChoose(keys, !isAll)}
        />
        <h2>
          <Untrusted max={100}>{suite ?? argument}</Untrusted>
        </h2>
        <code>{argument}</code>
        <span>{counted(shown.length, "scenario")}</span>
      </div>
      {problem === null ? null : (
        <p role="alert" className={styles["problem"]}>
          <Untrusted max={600}>{problem}</Untrusted>
        </p>
      )}
      <ul>
        {shown.map((scenario) => (
          <Row
            key={keyOf(scenario)}
            of={scenario}
            isChosen={chosen.has(keyOf(scenario))}
            onChoose={() => onChoose([keyOf(scenario)], !chosen.has(keyOf(scenario)))}
            canChange={canChange}
          />
        ))}
      </ul>
    </section>
  )
}

/** Shows the selected scenarios, and the button that runs them. */
const Start = ({
  about,
  chosen,
  tree
}: {
  readonly about: Project
  readonly tree: SuiteTree
  readonly chosen: ReadonlyArray<Listed>
}) => {
  const [target, setTarget] = useState("")
  const [trials, setTrials] = useState("")
  const [record, setRecord] = useState(false)
  const [start, isWaiting] = useChange(startRun, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    go(runAddress(result.value.id))
  })
  const selected: Selected = {
    files: tree.files,
    chosen,
    target: target === "" ? undefined : target,
    trials: trials.trim() === "" ? undefined : Number(trials),
    record
  }
  const isWrong = !/^(?:[1-9]\d{0,2}|1000)?$/u.test(trials.trim())
  const to = about.targets.find(({ name }) => name === target) ?? about.targets[0]
  const paid = to?.isSimulated === true ? [] : chosen.filter(({ mayCost }) => mayCost)
  return (
    <section className={styles["start"]} aria-label="Run">
      <h2>{chosen.length === 0 ? "Select scenarios to run" : counted(chosen.length, "selected scenario")}</h2>
      <div className={styles["options"]}>
        <SelectField label="Target" value={target} onChange={({ currentTarget }) => setTarget(currentTarget.value)}>
          <option value="">{`Default: ${about.targets[0]?.name ?? "simulated"}`}</option>
          {about.targets.map(({ address, name }) => (
            <option key={name} value={name}>
              {address === null ? name : `${name} (${address})`}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Trials"
          inputMode="numeric"
          placeholder={record ? "Default for nights" : "As declared"}
          value={trials}
          error={isWrong ? "Enter a whole number from 1 to 1000, or leave it empty." : undefined}
          onChange={({ currentTarget }) => setTrials(currentTarget.value)}
        />
        <CheckField
          label="Record as a night"
          checked={record}
          onChange={({ currentTarget }) => setRecord(currentTarget.checked)}
        />
      </div>
      {paid.length === 0 ? null : (
        <p className={styles["paid"]}>
          {about.can.pay
            ? `${counted(paid.length, "scenario")} may cost money: at most ${about.maxCost_usd ?? "0"} USD for everything that this page starts.`
            : `${counted(paid.length, "scenario")} may cost money and won't run. Start webagent-harness ui with --allow-paid --max-cost <usd> to allow it.`}
        </p>
      )}
      {chosen.length === 0 || isWrong ? null : (
        <Code label="The same in a terminal" text={commandOf(selected, about.commands.program)} wraps />
      )}
      <div className={styles["options"]}>
        {about.can.run ? (
          <Button
            kind="primary"
            disabled={chosen.length === 0 || isWrong || isWaiting}
            onClick={() => start(runOf(selected))}
          >
            {chosen.length === 0 ? "Run" : `Run ${counted(chosen.length, "scenario")}`}
          </Button>
        ) : (
          <p>This page can't start runs.</p>
        )}
      </div>
      <p className={styles["hint"]}>
        To change a scenario, open its file and line in your editor, save it, and run it again here: the run loads the
        changed file.
      </p>
    </section>
  )
}

const Tree = ({ about, tree }: { readonly about: Project; readonly tree: SuiteTree }) => {
  const { search } = useAtomValue(place)
  const filters = useMemo(() => filtersOf(search), [search])
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set<string>())
  const shown = useMemo(
    () => tree.files.map((file) => ({ file, scenarios: scenariosOf(file).filter((one) => fits(one, filters)) })),
    [tree, filters]
  )
  const all = shown.flatMap(({ scenarios }) => scenarios)
  const selected = tree.files.flatMap(scenariosOf).filter((scenario) => chosen.has(keyOf(scenario)))
  const put = (keys: ReadonlyArray<string>, isChosen: boolean) => {
    const others = [...chosen].filter((key) => !keys.includes(key))
    choose(new Set(isChosen ? [...others, ...keys] : others))
  }
  const keys = all.map(keyOf)
  const isAll = keys.length > 0 && keys.every((key) => chosen.has(key))
  return (
    <div className={isFile ? undefined : styles["columns"]}>
      <div className={styles["tree"]}>
        <FiltersView filters={filters} tree={tree} />
        <p className={styles["count"]}>
          <Button disabled={keys.length === 0} onClick={() => put(keys, !isAll)}>
            {isAll ? "Clear the selection" : `Select all ${keys.length}`}
          </Button>
        </p>
        {all.length === 0 ? (
          <Message icon={FolderTree} title="No scenario matches">
            <Link to="/suites">Show all scenarios</Link>
          </Message>
        ) : null}
        {shown.map(({ file, scenarios }) =>
          scenarios.length === 0 && file.problem === null ? null : (
            <File
              key={file.argument}
              of={file}
              shown={scenarios}
              chosen={chosen}
              onChoose={put}
              canChange={about.can.change}
            />
          )
        )}
      </div>
      {isFile ? null : <Start about={about} tree={tree} chosen={selected} />}
    </div>
  )
}

/** Every scenario that can run here. */
const SuitesScreen = () => {
  const about = useAtomValue(project)
  const can = canOf(about)
  return (
    <Page
      title="Suites"
      lead={can.run ? "Select scenarios, and run them here or in a terminal." : "The suites of this project."}
    >
      <Answer of={useAtomValue(suites)} what="suites" onRetry={() => registry.refresh(suites)}>
        {(tree) =>
          tree.problem !== null ? (
            <Message icon={FolderTree} title="Couldn't list the suites" alert>
              <p>
                <Untrusted max={600}>{tree.problem}</Untrusted>
              </p>
            </Message>
          ) : tree.files.length === 0 ? (
            <Message icon={FolderTree} title="No suites yet">
              <p>
                A suite is a file that ends with .suite.ts. This command writes a first one, with a nightly workflow:
              </p>
              <Code label="Command that writes a first suite" text="npx webagent-harness init" />
            </Message>
          ) : (
            <Answer of={about} what="project" onRetry={() => registry.refresh(project)}>
              {(value) => <Tree about={value} tree={tree} />}
            </Answer>
          )
        }
      </Answer>
    </Page>
  )
}

export default SuitesScreen
