import type { LiveExchange, LiveMessage } from "@webagent/harness-api"
import type { Picture } from "@webagent/report/Trace"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { RunHeader, ScenarioResult } from "@webagent/report/RunReport"
import { type AgentSteps, shownVerdict, type Trial } from "@webagent/report/Trial"

/** A trial of a run that is followed. */
export interface LiveTrial {
  readonly index: number
  /** When it started; null if only its end is known. */
  readonly startedAt: string | null
  /** Null while it runs. */
  readonly trial: Trial | null
  /** Its latest requests, in the order in which they began. */
  readonly requests: ReadonlyArray<LiveExchange>
  /** The steps of its agents so far, by run. */
  readonly agents: ReadonlyArray<AgentSteps>
  /** The latest picture of each run's browser. */
  readonly pictures: ReadonlyArray<Picture>
}

/** A scenario of a run that is followed. */
export interface LiveScenario {
  readonly suite: string
  readonly name: string
  readonly trials: ReadonlyArray<LiveTrial>
  /** Null until it has finished. */
  readonly result: ScenarioResult | null
}

/** A run as its events tell it. */
export interface Progress {
  /** Position of the last event. */
  readonly position: number
  readonly header: RunHeader | null
  /** In the order in which they started. */
  readonly scenarios: ReadonlyArray<LiveScenario>
  /** Since when nothing answers; null while the service responds. */
  readonly outage: string | null
  readonly isFinished: boolean
}

/** Nothing is known yet. */
export const nothing: Progress = {
  position: 0,
  header: null,
  scenarios: [],
  outage: null,
  isFinished: false
}

/** Latest requests of a trial that a page keeps, and steps of a run. */
const most = { requests: 300, steps: 50 } as const

type Named = Pick<LiveScenario, "suite" | "name">

const inScenario = (
  progress: Progress,
  { name, suite }: Named,
  update: (scenario: LiveScenario) => LiveScenario
): Progress => {
  const isIt = (one: LiveScenario) => one.suite === suite && one.name === name
  const scenarios = progress.scenarios.some(isIt)
    ? progress.scenarios
    : [...progress.scenarios, { suite, name, trials: [], result: null }]
  return { ...progress, scenarios: scenarios.map((one) => (isIt(one) ? update(one) : one)) }
}

const empty = { startedAt: null, trial: null, requests: [], agents: [], pictures: [] } as const

const inTrial = (scenario: LiveScenario, index: number, update: (trial: LiveTrial) => LiveTrial): LiveScenario => {
  const exists = scenario.trials.some((one) => one.index === index)
  const trials = exists ? scenario.trials : [...scenario.trials, { ...empty, index }]
  return { ...scenario, trials: trials.map((one) => (one.index === index ? update(one) : one)) }
}

/** The steps of a run after some that are new, or that have ended since. */
const withSteps = (before: AgentSteps | undefined, agent: AgentSteps): AgentSteps => {
  const steps = new Map([...(before?.steps ?? []), ...agent.steps].map((step) => [step.number, step]))
  return { ...agent, steps: [...steps.values()].toSorted((one, other) => one.number - other.number).slice(-most.steps) }
}

/** A list with something in the place of the one before, or at the end. */
const put = <A>(all: ReadonlyArray<A>, is: (one: A) => boolean, next: (before: A | undefined) => A): ReadonlyArray<A> =>
  all.some(is) ? all.map((one) => (is(one) ? next(one) : one)) : [...all, next(undefined)]

const afterEvent = (progress: Progress, event: RunEvent, at: string): Progress => {
  switch (event._tag) {
    case "RunStarted":
      return { ...progress, header: event.header }
    case "OutageStarted":
      return { ...progress, outage: event.outage.from }
    case "OutageFinished":
      return { ...progress, outage: null }
    case "ScenarioStarted":
      return inScenario(progress, { suite: event.suite, name: event.scenario }, (scenario) => scenario)
    case "TrialStarted":
      return inScenario(progress, { suite: event.suite, name: event.scenario }, (scenario) =>
        // a trial that starts again was ended by an outage
        inTrial(scenario, event.index, (trial) => ({ ...trial, startedAt: at, trial: null }))
      )
    case "StepsSeen":
      return inScenario(progress, { suite: event.suite, name: event.scenario }, (scenario) =>
        inTrial(scenario, event.index, (trial) => ({
          ...trial,
          agents: put(
            trial.agents,
            ({ runId }) => runId === event.agent.runId,
            (before) => withSteps(before, event.agent)
          )
        }))
      )
    case "TrialFinished":
      return inScenario(progress, { suite: event.suite, name: event.scenario }, (scenario) =>
        inTrial(scenario, event.trial.index, (trial) => ({ ...trial, trial: event.trial }))
      )
    case "ScenarioFinished":
      return inScenario(progress, event.result, (scenario) => ({ ...scenario, result: event.result }))
    case "RunFinished":
      return { ...progress, isFinished: true }
  }
}

/** A request that began, or that has ended: the message that it began may come again later. */
const withRequest = (requests: ReadonlyArray<LiveExchange>, exchange: LiveExchange): ReadonlyArray<LiveExchange> =>
  put(
    requests,
    ({ id }) => id === exchange.id,
    (before) => (before !== undefined && exchange.duration_ms === null ? before : exchange)
  ).slice(-most.requests)

/** A message about a trial that hasn't started, or that has finished, changes nothing. */
const inRunningTrial = (
  progress: Progress,
  isIts: (scenario: LiveScenario) => boolean,
  index: number,
  update: (trial: LiveTrial) => LiveTrial
): Progress => ({
  ...progress,
  scenarios: progress.scenarios.map((scenario) =>
    scenario.result === null && isIts(scenario)
      ? {
          ...scenario,
          trials: scenario.trials.map((one) => (one.index === index && one.trial === null ? update(one) : one))
        }
      : scenario
  )
})

/** The progress of a run after a message about it. An event that came before changes nothing. */
export const after = (progress: Progress, message: LiveMessage): Progress => {
  switch (message._tag) {
    case "Event":
      return message.position <= progress.position
        ? progress
        : { ...afterEvent(progress, message.event, message.at), position: message.position }
    case "Finished":
      return { ...progress, position: Math.max(progress.position, message.position), isFinished: true }
    case "Exchange":
      return inRunningTrial(
        progress,
        (scenario) => scenarioTitle(scenario) === message.exchange.title,
        message.exchange.index,
        (trial) => ({ ...trial, requests: withRequest(trial.requests, message.exchange) })
      )
    case "Picture":
      return inRunningTrial(
        progress,
        ({ name, suite }) => suite === message.suite && name === message.scenario,
        message.index,
        (trial) => ({
          ...trial,
          pictures: put(
            trial.pictures,
            ({ runId }) => runId === message.picture.runId,
            () => message.picture
          )
        })
      )
    default:
      return progress
  }
}

/** Numbers of finished, running and planned trials. */
export const countsOf = ({ header, scenarios }: Progress) => {
  const trials = scenarios.flatMap((one) => one.trials)
  const done = trials.filter(({ trial }) => trial !== null).length
  const planned = header?.suites.reduce((sum, suite) => sum + suite.scenarios, 0) ?? 0
  return {
    done,
    running: trials.length - done,
    failed: trials.filter(({ trial }) => trial !== null && !["passed", "skipped"].includes(shownVerdict(trial))).length,
    scenariosDone: scenarios.filter(({ result }) => result !== null).length,
    scenarios: Math.max(planned, scenarios.length)
  }
}
