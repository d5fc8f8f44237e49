import type * as Fiber from "effect/Fiber"

interface Heeding {
  readonly aborts: Set<() => void>
  readonly onAbort: () => void
}

/** One listener for all calls with a signal: from the eleventh listener on, Node 20 warns of a leak. */
const heeding = new WeakMap<AbortSignal, Heeding>()

const listen = (signal: AbortSignal): Heeding => {
  const aborts: Heeding["aborts"] = new Set()
  const onAbort = () => aborts.forEach((abort) => abort())
  heeding.set(signal, { aborts, onAbort })
  signal.addEventListener("abort", onAbort, { once: true })
  return { aborts, onAbort }
}

/** Lets an abort interrupt a fiber, and reject at once unless that is to wait; gives what ends this. */
export const heed = (
  signal: AbortSignal,
  fiber: Fiber.Fiber<unknown, unknown>,
  patient: boolean,
  reject: (reason: unknown) => void
) => {
  const abort = () => {
    fiber.interruptUnsafe()
    if (!patient) reject(signal.reason)
  }
  const { aborts, onAbort } = heeding.get(signal) ?? listen(signal)
  aborts.add(abort)
  // by a function of the caller's that ran meanwhile, such as its ledger: the signal tells it once
  if (signal.aborted) abort()
  return () => {
    aborts.delete(abort)
    if (aborts.size > 0) return
    heeding.delete(signal)
    signal.removeEventListener("abort", onAbort)
  }
}
