/** The parts of a source map that say which source a byte has come from. */
export interface SourceMapLike {
  readonly mappings: string
  readonly sources: ReadonlyArray<string | null>
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** The numbers of a segment: base 64 digits of five bits, the lowest first, the sign in the lowest of all. */
const numbersOf = (segment: string): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  let value = 0
  let shift = 0
  for (const digit of segment) {
    const bits = digits.indexOf(digit)
    value |= (bits & 31) << shift
    shift += 5
    if ((bits & 32) !== 0) continue
    numbers.push((value & 1) === 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return numbers
}

/** The text of generated code by the source that it has come from; what no source accounts for is by "". */
export const bytesBySource = (code: string, { mappings, sources }: SourceMapLike): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  const lines = code.split("\n")
  let source = 0
  for (const [index, segments] of mappings.split(";").entries()) {
    const line = lines[index] ?? ""
    let column = 0
    let from = 0
    let name = ""
    const take = (to: number) => {
      texts.set(name, `${texts.get(name) ?? ""}${line.slice(from, to)}`)
      from = to
    }
    for (const segment of segments.split(",")) {
      const [columns = 0, move] = numbersOf(segment)
      column += columns
      take(column)
      source += move ?? 0
      name = move === undefined ? "" : (sources[source] ?? "")
    }
    take(line.length)
  }
  return texts
}
