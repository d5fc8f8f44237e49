import type { RunReport } from "@webagent/report/RunReport"

/** The numbers of the shards that sent no report. */
export const missingOf = ({ shards = [] }: Pick<RunReport, "shards">): ReadonlyArray<number> =>
  Array.from({ length: shards[0]?.of ?? 0 }, (_, index) => index + 1).filter((shard) =>
    shards.every(({ index }) => index !== shard)
  )
