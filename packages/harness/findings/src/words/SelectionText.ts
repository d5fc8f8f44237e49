import { counted } from "@webagent/cli/Text"
import type { Selection } from "@webagent/report/Selection"

/** Returns the flags of a selection: `--tag smoke and --name "pays"`. */
export const text = ({ lastFailed, name, owners = [], scenarios, tags, trial }: Selection): string =>
  [
    ...(scenarios === undefined ? [] : [counted(scenarios, "chosen scenario")]),
    ...(lastFailed === true ? ["--last-failed"] : []),
    ...tags.map((tag) => `--tag ${tag}`),
    ...owners.map((owner) => `--owner "${owner}"`),
    ...(name === undefined ? [] : [`--name "${name}"`]),
    ...(trial === undefined ? [] : [`--trial ${trial}`])
  ].join(" and ")
