/**
 * The chance of a false alarm in a night, by what is looked at. Together 1.8 %. Scenarios that fail have a small part,
 * because extra trials decide whether they are worse: half the chance costs one more trial. Durations that nights show
 * have a part of 0.6 %, and then need extra trials. The simulation of nights in tools/bench measures what becomes of it.
 */
export const budget = {
  nightPassRate: 0.002,
  nightDuration: 0.004,
  nightCost: 0.001,
  scenarioPassRate: 0.003,
  scenarioDuration: 0.006,
  scenarioCost: 0.0005,
  confirmDuration: 0.001
} as const

/** Windows and baselines share nights, so they are not independent: this many count as one independent test. */
export const independentTests = { level: 4, count: 3 } as const
