/**
 * The trials of each free scenario in a recorded night, and the extra trials that all scenarios share: measured to find
 * regressions with few false alarms. A scenario that declares its trials or costs money keeps its own number. Without
 * `--max-cost`, one that costs money gets few extra trials.
 */
export const nightlySetting = {
  trials: 5,
  confirm: 200,
  /** The most extra trials of each paid scenario in a night without `--max-cost`. */
  paidConfirm: 3
} as const
