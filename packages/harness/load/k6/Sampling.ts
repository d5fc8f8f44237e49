/** An iteration, and the share of iterations that decode their responses. */
export interface Sampling {
  readonly share: number
  /** All virtual users, of all processes that share the load, and which of them this is, from 1. */
  readonly vus: number
  readonly vu: number
  /** The number of the iteration, among this user's. */
  readonly iteration: number
}

/**
 * Returns whether an iteration is in the sample. Few users decode, and those more often, because the schemas take some
 * MB for each of them; but more than one, because users and flows can take turns in step.
 */
export const includes = ({ iteration, share, vu, vus }: Sampling): boolean => {
  const decoders = Math.min(vus, Math.max(5, Math.ceil(vus * share)))
  const rate = Math.min(1, (share * vus) / decoders)
  return share > 0 && vu <= decoders && Math.floor(iteration * rate) !== Math.floor((iteration - 1) * rate)
}
