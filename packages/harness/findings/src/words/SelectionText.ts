import type { Selection } from "@webagent/report/Selection"

/** Returns the flags of a selection: `--tag smoke and --name "pays"`. */
export const text = ({ lastFailed, name, tags, trial }: Selection): string =>
  [
    ...(lastFailed === true ? ["--last-failed"] : []),
    ...tags.map((tag) => `--tag ${tag}`),
    ...(name === undefined ? [] : [`--name "${name}"`]),
    ...(trial === undefined ? [] : [`--trial ${trial}`])
  ].join(" and ")
