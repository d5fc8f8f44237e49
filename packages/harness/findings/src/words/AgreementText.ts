import type { Agreement } from "@webagent/report/Agreement"
import { counted } from "@webagent/cli/Text"

/** Describes it: `agent and oracle agree on 1 of 3 trials: the agent calls 2 a success, the oracle 0`. */
export const text = ({ agreed, judges, successes, trials }: Agreement): string =>
  `${judges[0]} and ${judges[1]} agree on ${agreed} of ${counted(trials, "trial")}: the ${judges[0]} calls ${successes[0]} a success, the ${judges[1]} ${successes[1]}`
