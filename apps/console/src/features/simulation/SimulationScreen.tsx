import { presetNames } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { CloudLightning, FileQuestion, RotateCcw } from "lucide-react"
import { type ComponentType, lazy, Suspense, useState } from "react"
import { reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { count } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Page } from "../../ui/Page.tsx"
import { Facts as FactList } from "../../ui/Record.tsx"
import { type Tab, Tabs } from "../../ui/Tabs.tsx"
import { Behavior } from "./Behavior.tsx"
import { Checks } from "./Checks.tsx"
import { Faults } from "./Faults.tsx"
import { JournalPart } from "./JournalPart.tsx"
import { Now } from "./Now.tsx"
import { OpenResources } from "./OpenResources.tsx"
import { type Facts, facts, readAgain, refuseConnections, reset } from "./simulation.state.ts"
import { checkStatus, paceOf } from "./texts.ts"

const Confirm = lazy(() => import("../../ui/Confirm.tsx"))

/** Length of an outage from this screen, and its text. */
const outageSpan = Duration.seconds(10)
const outage = "10 seconds"

/** The name of a profile, which is on the screen for presets only. */
const profileText = (name: string | undefined): string =>
  name === undefined ? "custom" : presetNames.some((preset) => preset === name) ? name : `${name} (not a preset)`

const openCount = ({ open }: Facts) => open.turns.length + open.sessions.length + open.browsers.length

const failedCount = ({ verdicts }: Facts) =>
  verdicts.verdicts.filter((verdict) => checkStatus(verdict) === "failed").length

const parts: Readonly<Record<string, ComponentType<{ readonly facts: Facts }>>> = {
  "": Behavior,
  faults: Faults,
  journal: JournalPart,
  checks: Checks,
  open: OpenResources
}

const tabsOf = (facts: Facts): ReadonlyArray<Tab> => [
  { to: "/simulation", text: "Behavior" },
  { to: "/simulation/faults", text: "Faults", figure: count(facts.profile.faults?.length ?? 0) },
  { to: "/simulation/journal", text: "Journal", figure: count(facts.journal.written) },
  { to: "/simulation/checks", text: "Checks", figure: `${failedCount(facts)} failed` },
  { to: "/simulation/open", text: "Open", figure: count(openCount(facts)) }
]

const Actions = ({ facts: { time } }: { readonly facts: Facts }) => {
  const [asked, ask] = useState<"outage" | "reset" | undefined>(undefined)
  const done = (sentence: string) => (change: AsyncResult.AsyncResult<unknown, unknown>) => {
    say(AsyncResult.isFailure(change) ? reason(change) : sentence)
    readAgain()
  }
  const [startOver, isResetting] = useChange(reset, done("The service was reset"))
  const [refuse, isRefusing] = useChange(refuseConnections, done(`The service refuses all connections for ${outage}`))
  const isStill = time.time.mode === "manual"
  return (
    <>
      <Button
        disabled={isRefusing || isStill}
        title={isStill ? "Service time stands still, so an outage would never end" : undefined}
        onClick={() => ask("outage")}
      >
        <CloudLightning aria-hidden />
        Start an outage
      </Button>
      <Button kind="danger" disabled={isResetting} onClick={() => ask("reset")}>
        <RotateCcw aria-hidden />
        Reset
      </Button>
      <Suspense>
        {asked === "outage" ? (
          <Confirm
            title={`Start an outage of ${outage}?`}
            action="Start the outage"
            onClose={() => ask(undefined)}
            onConfirm={() => refuse({ payload: { for: outageSpan } })}
          >
            The service resets every connection and refuses new ones for {outage} of service time. This page loses its
            connection as well, and reconnects by itself.
          </Confirm>
        ) : null}
        {asked === "reset" ? (
          <Confirm
            title="Reset the simulated service?"
            action="Reset the service"
            onClose={() => ask(undefined)}
            onConfirm={() => startOver({ payload: {} })}
          >
            All runs, sessions and browsers are deleted, and the journal and the checks start over. The profile, the
            faults and the clock stay the same.
          </Confirm>
        ) : null}
      </Suspense>
    </>
  )
}

/** A debugger for an app's tests: how the simulated service behaves, what happened, and what the app did wrong. */
const SimulationScreen = ({ id }: { readonly id: string }) => {
  const result = useAtomValue(facts)
  const Part = Object.hasOwn(parts, id) ? parts[id] : undefined
  return (
    <Page
      title="Simulated service"
      lead="Change the service's behavior, watch your app's requests, and find its mistakes and leftovers."
      actions={AsyncResult.isSuccess(result) ? <Actions facts={result.value} /> : null}
    >
      <Answer of={result} what="simulated service" onRetry={() => registry.refresh(facts)}>
        {(read) => (
          <>
            <FactList
              of={[
                ["Profile", profileText(read.profile.name)],
                ["Service time", <Now key="now" time={read.time} />],
                ["Clock", paceOf(read.time.time)]
              ]}
            />
            <Tabs label="Parts of the simulated service" tabs={tabsOf(read)} />
            {Part === undefined ? (
              <Message icon={FileQuestion} title="There is no such part" alert>
                <Link to="/simulation">Behavior</Link>
              </Message>
            ) : (
              <Part facts={read} />
            )}
          </>
        )}
      </Answer>
    </Page>
  )
}

export default SimulationScreen
