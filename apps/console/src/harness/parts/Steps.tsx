import type { AgentSteps } from "@webagent/report/Trial"
import { span } from "../../ui/format.ts"
import { OutsideLink, Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./Steps.module.css"

/** The steps of an agent: each with its address, its failure and its duration. */
export const Steps = ({ of: { steps } }: { readonly of: AgentSteps }) => (
  <ol className={styles["steps"]}>
    {steps.map(({ address, durationMs, failure, number, outcome, summary }) => (
      <li key={number} data-bad={outcome === "failed"}>
        <b>{number}</b>
        <span>
          <Untrusted max={400}>{summary}</Untrusted> <OutsideLink address={address} />
          {failure === null || failure === undefined ? null : (
            <em>
              <Untrusted max={400}>{failure}</Untrusted>
            </em>
          )}
        </span>
        <span>{durationMs === null || durationMs === undefined ? "" : span(durationMs)}</span>
      </li>
    ))}
  </ol>
)

/** The addresses of the live view and of the recording of an agent's browser, as far as there are any. */
export const BrowserLinks = ({ of: { liveUrl, recordingUrl } }: { readonly of: AgentSteps }) =>
  (
    [
      ["Recording", recordingUrl],
      ["Live view", liveUrl]
    ] as const
  ).map(([name, address]) =>
    address === null ? null : (
      <p key={name}>
        {name}: <OutsideLink address={address} />
      </p>
    )
  )
