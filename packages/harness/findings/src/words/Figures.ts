import type { Comparison } from "@webagent/report/Comparison"

/**
 * Display name of a figure. A run as a whole may take no longer even if scenarios do, because they run concurrently.
 */
export const figureName = ({ figure, scenario }: Pick<Comparison, "figure" | "scenario">): string =>
  scenario === null && figure === "duration" ? "scenario durations" : figure
