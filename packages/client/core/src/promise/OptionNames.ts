/** Returns whether two names are at most two letters apart: one may be changed, added, removed or swapped with the next. */
const isNear = (from: string, to: string): boolean => {
  let start = 0
  while (start < from.length && from[start] === to[start]) start++
  let end = 0
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end) === to.at(-1 - end)) end++
  return Math.max(from.length, to.length) - start - end <= 2
}

/** Describes the first name that is no option, with the option that was probably meant. Undefined if all are options. */
export const unknownName = (of: string, given: object, names: ReadonlyArray<string>): string | undefined => {
  const name = Object.keys(given).find((each) => !names.includes(each))
  if (name === undefined) return undefined
  const meant = names.find((each) => isNear(name.toLowerCase(), each.toLowerCase()))
  return `${of}${name} is not an option.${meant === undefined ? ` Use ${names.join(", ")}.` : ` Did you mean ${of}${meant}?`}`
}
