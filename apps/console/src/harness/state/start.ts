interface Started {
  readonly startedAt: string
}

/** The start of a night, with seconds if another one of `nights` started in the same minute. */
export const startOf = ({ startedAt }: Started, nights: ReadonlyArray<Started>): string => {
  const isShared = nights.filter((night) => night.startedAt.startsWith(startedAt.slice(0, 16))).length > 1
  return startedAt.slice(0, isShared ? 19 : 16).replace("T", " ")
}
