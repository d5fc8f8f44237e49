import { type FaultRule, presetNames, presets, type Profile } from "@webagent/control"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Plus, Zap } from "lucide-react"
import { Suspense, useState } from "react"
import { reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { useChange } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { counted } from "../../ui/format.ts"
import { Message } from "../../ui/Message.tsx"
import { Section } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { FaultForm } from "./FaultForm.tsx"
import { type Facts, readAgain, setFaults } from "./simulation.state.ts"
import styles from "./Simulation.module.css"
import { conditionText, faultText } from "./texts.ts"

/** A rule that a preset has, by its label. */
const presetRules: ReadonlyMap<string, FaultRule> = new Map(
  presetNames.flatMap((preset) => {
    const profile: Profile = presets[preset]
    const { faults = [] } = profile
    return faults.map((rule) => [`${preset}: ${rule.name ?? rule.fault.kind}`, rule] as const)
  })
)

/** The faults in force, in order, and their changes. */
export const Faults = ({ facts: { profile } }: { readonly facts: Facts }) => {
  const rules = profile.faults ?? []
  const [isOpen, open] = useState(false)
  const [send, isWaiting] = useChange(setFaults, (result) => {
    say(AsyncResult.isFailure(result) ? reason(result) : counted(result.value.length, "active fault"))
    readAgain()
  })
  const set = (payload: ReadonlyArray<FaultRule>) => send({ payload })
  return (
    <Section
      title="Active faults"
      actions={
        <div className={styles["buttons"]}>
          <select
            className={styles["select"]}
            aria-label="Add a fault of a preset"
            disabled={isWaiting}
            value=""
            onChange={({ currentTarget: { value } }) => {
              const rule = presetRules.get(value)
              if (rule !== undefined) set([...rules, rule])
            }}
          >
            <option value="">Add from a preset…</option>
            {[...presetRules].map(([label, rule]) => (
              <option key={label} value={label}>
                {label} ({faultText(rule)}, {conditionText(rule)})
              </option>
            ))}
          </select>
          <Button kind="primary" onClick={() => open(true)}>
            <Plus aria-hidden />
            Add a fault
          </Button>
          {rules.length === 0 ? null : (
            <Button kind="danger" disabled={isWaiting} onClick={() => set([])}>
              Remove all
            </Button>
          )}
        </div>
      }
    >
      <p className={styles["soft"]}>
        Requests that this console sends get no faults. To see a fault, send a request from your app or with curl.
      </p>
      {rules.length === 0 ? (
        <Message icon={Zap} title="No faults">
          <p>
            Every request gets a normal response. Add a fault to see what your app does after a reset connection, a 429
            or a lost response.
          </p>
        </Message>
      ) : (
        <>
          <p className={styles["soft"]}>
            A request gets the first fault that applies to it. The counts start over when you change the faults.
          </p>
          <Table
            label="Active faults"
            rows={rules.map((rule, index) => ({ rule, index }))}
            keyOf={({ index }) => String(index)}
            columns={[
              { name: "Name", cell: ({ rule }) => <Untrusted max={60}>{rule.name ?? rule.fault.kind}</Untrusted> },
              { name: "Fault", cell: ({ rule }) => <Untrusted max={200}>{faultText(rule)}</Untrusted> },
              { name: "Applies to", cell: ({ rule }) => <Untrusted max={300}>{conditionText(rule)}</Untrusted> },
              {
                name: "Actions",
                isUnseen: true,
                cell: ({ index, rule }) => (
                  <Button
                    kind="danger"
                    disabled={isWaiting}
                    aria-label={`Remove the fault ${rule.name ?? rule.fault.kind}`}
                    onClick={() => set(rules.filter((_, other) => other !== index))}
                  >
                    Remove
                  </Button>
                )
              }
            ]}
          />
        </>
      )}
      {isOpen ? (
        <Suspense>
          <FaultForm
            onClose={() => open(false)}
            onAdd={(rule) => {
              open(false)
              set([...rules, rule])
            }}
          />
        </Suspense>
      ) : null}
    </Section>
  )
}
