import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { isScored, type Trial } from "@webagent/report/Trial"
import * as EvalFigures from "./EvalFigures.ts"

/** Facts about an evaluation that its report doesn't contain. */
export interface InspectLogOptions {
  /** The model, as the user named it: `openai:gpt-5`. */
  readonly model: string
  /** Returns the instruction of a trial by its seed. */
  readonly instructionOf: (seed: number) => string | undefined
}

const taskName = "webagent"

/** An id of letters and digits: Inspect reads it from the name of the log's file. */
const taskIdOf = ({ suitesHash }: RunReport["header"]): string => suitesHash?.slice(0, 22) ?? taskName

/** Returns the name of the file for a log. `inspect view` lists no other names. */
export const fileNameOf = ({ header }: Pick<RunReport, "header">): string => {
  const began = header.startedAt.replace(/\.\d+/u, "").replace("Z", "+00:00").replaceAll(":", "-")
  return `${began}_${taskName}_${taskIdOf(header)}.json`
}

/** Of an ISO time, some milliseconds later. */
const after = (iso: string, more_ms: number): string => new Date(Date.parse(iso) + more_ms).toISOString()

const scoreOf = ({ failure, verdict }: Trial) =>
  failure === undefined
    ? { value: "C" }
    : {
        value: "I",
        answer: failure.actual ?? failure.message,
        explanation: failure.expected === undefined ? failure.message : `expected ${failure.expected}`,
        metadata: { claimed: verdict === "claimed" }
      }

/** The agent's steps as messages. */
const messagesOf = (instruction: string, { agentSteps = [] }: Trial) => [
  { role: "user", content: instruction },
  ...agentSteps.flatMap(({ steps }) =>
    steps.map(({ address, failure, summary }) => ({
      role: "assistant",
      content: [summary, address ?? "", failure ?? ""].filter((text) => text !== "").join("\n")
    }))
  )
]

/** The agent's steps and the score as the transcript of a sample. */
const eventsOf = (uuid: string, began: string, ended: string, trial: Trial) => {
  const steps = (trial.agentSteps ?? []).flatMap(({ steps: ofRun }) => ofRun)
  const entries = [
    ...steps.map(({ address, beganAt, failure, number, outcome, summary }) => ({
      timestamp: beganAt === "" ? began : beganAt,
      event: "info",
      source: "agent",
      data: { step: number, summary, address, outcome: outcome ?? null, failure: failure ?? null }
    })),
    ...(isScored(trial)
      ? [{ timestamp: ended, event: "score", score: scoreOf(trial), target, intermediate: false, scorer: "oracle" }]
      : [])
  ]
  return entries.map((entry, index) => ({
    uuid: `${uuid}-${index + 1}`,
    working_start: Math.max(0, Date.parse(entry.timestamp) - Date.parse(began)) / 1000,
    ...entry
  }))
}

const target = "the state of the site's server"

const sampleOf = (
  { name, suite, tags }: ScenarioResult,
  trial: Trial,
  startedAt: string,
  { instructionOf }: InspectLogOptions
) => {
  const instruction = instructionOf(trial.seed) ?? name
  const id = `${suite}/${name}`
  const uuid = `${id}/${trial.index + 1}`
  const [began, ended] = [after(startedAt, trial.started_ms), after(startedAt, trial.started_ms + trial.duration_ms)]
  return {
    id,
    uuid,
    epoch: trial.index + 1,
    input: instruction,
    target,
    messages: messagesOf(instruction, trial),
    scores: isScored(trial) ? { oracle: scoreOf(trial) } : null,
    metadata: { suite, tags, seed: trial.seed, verdict: trial.verdict, cost_usd: trial.cost_usd },
    store: {},
    events: eventsOf(uuid, began, ended, trial),
    attachments: {},
    started_at: began,
    completed_at: ended,
    total_time: trial.duration_ms / 1000,
    ...(isScored(trial)
      ? {}
      : { error: { message: trial.failure?.message ?? trial.verdict, traceback: "", traceback_ansi: "" } })
  }
}

/**
 * Converts the report of an evaluation to the JSON log of Inspect (`inspect_ai`, log version 2), which
 * `inspect_ai.log.read_eval_log` and `inspect view` read. A scenario is a sample, and a trial is an epoch of it.
 */
export const of = (report: RunReport, options: InspectLogOptions) => {
  const { header, results } = report
  const samples = results.flatMap((result) =>
    result.trials.map((trial) => sampleOf(result, trial, header.startedAt, options))
  )
  const ids = results.map(({ name, suite }) => `${suite}/${name}`)
  const whole = EvalFigures.of(report).at(-1)
  const metric = (name: string, value: number) => ({ [name]: { name, value, params: {} } })
  const { interval = null, rate = null, scored = 0 } = whole ?? {}
  return {
    version: 2,
    status: report.interrupted ? "cancelled" : "success",
    eval: {
      eval_id: header.suitesHash ?? header.startedAt,
      run_id: header.startedAt,
      created: header.startedAt,
      task: taskName,
      task_id: taskIdOf(header),
      task_version: 0,
      dataset: { name: header.suites.map(({ name }) => name).join(","), samples: ids.length, sample_ids: ids },
      model: options.model,
      config: { epochs: Math.max(1, ...results.map(({ trials }) => trials.length)) },
      packages: { [header.tool.name]: header.tool.version },
      scorers: [{ name: "oracle", options: {}, metrics: [{ name: "accuracy", options: {} }], metadata: {} }],
      metadata: { seed: header.seed, cost_usd: report.cost_usd }
    },
    plan: { name: "plan", steps: [{ solver: "webagent", params: {} }], config: {} },
    results: {
      total_samples: samples.length,
      completed_samples: samples.filter(({ scores }) => scores !== null).length,
      scores: [
        {
          name: "oracle",
          scorer: "oracle",
          params: {},
          scored_samples: scored,
          unscored_samples: samples.length - scored,
          metrics: {
            ...(rate === null ? {} : metric("accuracy", rate)),
            ...(interval === null ? {} : { ...metric("ci_low", interval.low), ...metric("ci_high", interval.high) })
          }
        }
      ]
    },
    stats: { started_at: header.startedAt, completed_at: after(header.startedAt, report.duration_ms), model_usage: {} },
    samples
  }
}
