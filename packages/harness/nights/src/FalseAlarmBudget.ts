/**
 * The chance of a false alarm in a night, by what is looked at. Together 5 %. Most tests are
 * stricter than their level, so fewer nights are red. The simulation of nights in tools/bench measures what becomes of it.
 */
export const budget = {
  nightPassRate: 0.002,
  nightDuration: 0.012,
  nightCost: 0.002,
  scenarioPassRate: 0.01,
  scenarioDuration: 0.006,
  scenarioCost: 0.001,
  confirmDuration: 0.002
} as const

/** Windows and baselines share nights, so they are not independent: this many count as one independent test. */
export const independentTests = { level: 4, count: 3 } as const
