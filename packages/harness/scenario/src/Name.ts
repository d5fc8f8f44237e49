// it stands on one line of a terminal, a report and a command, and reads there as it is written
const unshown = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u

/** Returns the reason why a suite or a scenario can't have this name; undefined if it can. */
export const wrongName = (name: unknown): string | undefined => {
  if (typeof name !== "string" || name.trim() === "") return "its name is empty."
  return unshown.test(name) ? "its name has a line break, or another character that is not shown." : undefined
}

/** Returns the reason why a suite or a scenario can't have this owner; undefined if it can, or if it has none. */
export const wrongOwner = (owner: unknown): string | undefined =>
  owner === undefined || (typeof owner === "string" && owner.trim() !== "" && !unshown.test(owner))
    ? undefined
    : `owner must be a team, a person or a handle, such as "checkout", not ${JSON.stringify(owner)}.`
