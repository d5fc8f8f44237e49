/** Disturbances of real nights, which an ideal world doesn't have; probabilities are per night. */
export interface Disturbances {
  /** Deviation of a night's durations from the last one's level, of all scenarios together, as a logarithm. */
  readonly nightly: number
  /** Deviation and memory (0 to 1) of a drift that follows the night before, of all durations. */
  readonly ar: number
  readonly follow: number
  /** The same of each scenario by itself. */
  readonly own: number
  readonly ownFollow: number
  /** Step of a walk of all durations that never returns. */
  readonly creep: number
  /** Deviation of weekdays: durations, and the logarithm of failure rates. */
  readonly season: number
  readonly seasonFlaky: number
  /** Nights in which all is slower, by 15 % up to a factor. */
  readonly slowNights: number
  readonly slowest: number
  /** Deviation of the logarithm of a night's failure rates, of all scenarios together. */
  readonly weather: number
  /** Deviation of a scenario's log odds in a night, beyond what its trials scatter. */
  readonly scatter: number
  /** Step of a walk of a scenario's log odds. */
  readonly passDrift: number
  /** The service is away for 5 to 20 % of the night. */
  readonly outages: number
  /** Two to eight scenarios fail by one cause, in a part of the night. */
  readonly causes: number
  /** The machine changes; by how much durations shift, and how often the history is told. */
  readonly machines: number
  readonly machineShift: number
  /** By how much a new machine shifts one scenario more than another. */
  readonly machineOwn: number
  readonly announced: number
  /** A scenario goes and another one comes. */
  readonly churn: number
  /** Trials that take three times as long. */
  readonly outliers: number
}

const calm: Disturbances = {
  nightly: 0.03,
  ar: 0,
  follow: 0,
  own: 0,
  ownFollow: 0,
  creep: 0,
  season: 0,
  seasonFlaky: 0,
  slowNights: 0,
  slowest: 1.15,
  weather: 0.1,
  scatter: 0,
  passDrift: 0,
  outages: 0,
  causes: 0,
  machines: 0,
  machineShift: 0,
  machineOwn: 0,
  announced: 1,
  churn: 0,
  outliers: 0.01
}

const realistic: Disturbances = {
  ...calm,
  ar: 0.03,
  follow: 0.6,
  own: 0.04,
  ownFollow: 0.5,
  creep: 0.002,
  season: 0.03,
  seasonFlaky: 0.15,
  slowNights: 1 / 40,
  slowest: 1.5,
  weather: 0.25,
  scatter: 0.3,
  passDrift: 0.04,
  outages: 1 / 60,
  causes: 1 / 30,
  machines: 1 / 90,
  machineShift: 0.08,
  machineOwn: 0.04,
  churn: 1 / 15,
  outliers: 0.02
}

const harsh: Disturbances = {
  ...realistic,
  nightly: 0.05,
  ar: 0.06,
  follow: 0.8,
  own: 0.08,
  ownFollow: 0.7,
  creep: 0.004,
  season: 0.06,
  seasonFlaky: 0.3,
  slowNights: 1 / 20,
  slowest: 2,
  weather: 0.4,
  scatter: 0.6,
  passDrift: 0.1,
  outages: 1 / 25,
  causes: 1 / 10,
  machines: 1 / 45,
  announced: 0.5,
  churn: 1 / 7
}

/** Three worlds, from one that no real service is to one that few are. */
export const presets = { calm, realistic, harsh } as const

/** The name of a world. */
export type Preset = keyof typeof presets
