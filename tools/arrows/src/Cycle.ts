/** A cycle of a graph, its first node again at the end; undefined where there is none. */
export const cycleOf = (graph: ReadonlyMap<string, Iterable<string>>): ReadonlyArray<string> | undefined => {
  const done = new Set<string>()
  const visit = (node: string, path: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const to of graph.get(node) ?? []) {
      const cycle = visit(to, [...path, node])
      if (cycle !== undefined) return cycle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const cycle = visit(node, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
