/**
 * The chance of a false alarm in a night, by what is looked at. Together 3 %: one night a month. The simulation of nights
 * in tools/bench measures what becomes of it.
 */
export const budget = {
  nightPassRate: 0.003,
  nightDuration: 0.008,
  nightCost: 0.003,
  scenarioPassRate: 0.004,
  scenarioDuration: 0.004,
  scenarioCost: 0.002,
  confirmPassRate: 0.004,
  confirmDuration: 0.003
} as const

/** Windows and baselines share nights, so they are not independent: this many count as one independent test. */
export const independentTests = { level: 6, count: 4 } as const
