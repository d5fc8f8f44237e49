import type * as Atom from "effect/reactivity/Atom"
import * as AtomRegistry from "effect/reactivity/AtomRegistry"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useCallback, useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react"
import { offline } from "./connection.ts"

/** The values of all atoms; a page has one registry. An atom's value is dropped 5 s after its last reader. */
export const registry = AtomRegistry.make({ defaultIdleTTL: 5_000 })

/** Returns an atom's value, and renders again when it changes. */
export const useAtomValue = <A>(atom: Atom.Atom<A>): A =>
  useSyncExternalStore(
    useCallback((changed: () => void) => registry.subscribe(atom, changed), [atom]),
    useCallback(() => registry.get(atom), [atom])
  )

/** Keeps an atom alive while the component is mounted, without rendering when it changes. */
export const useAtomMount = <A>(atom: Atom.Atom<A>): void => useEffect(() => registry.mount(atom), [atom])

/** Returns the setter of an atom, which stays alive while the component is mounted. */
export const useAtomSet = <R, W>(atom: Atom.Writable<R, W>): ((value: W) => void) => {
  useAtomMount(atom)
  return useCallback((value: W) => registry.set(atom, value), [atom])
}

/** Returns an atom's value and its setter. */
export const useAtom = <R, W>(atom: Atom.Writable<R, W>): readonly [R, (value: W) => void] => [
  useAtomValue(atom),
  useAtomSet(atom)
]

/**
 * Returns a function that sends a change, whether its button is disabled, because a change is on its way or the server
 * doesn't respond, and whether a change is on its way. `onDone` gets the result of each change that this
 * component sent; an atom also has those of screens before.
 */
export const useChange = <A, E, W>(
  atom: Atom.Writable<AsyncResult.AsyncResult<A, E>, W>,
  onDone: (result: AsyncResult.Success<A, E> | AsyncResult.Failure<A, E>) => void
): readonly [send: (value: W) => void, isDisabled: boolean, isWaiting: boolean] => {
  const isGone = useAtomValue(offline) !== undefined
  const [result, set] = useAtom(atom)
  const isSent = useRef(false)
  const done = useEffectEvent(onDone)
  useEffect(() => {
    if (!isSent.current || result.waiting || AsyncResult.isInitial(result)) return
    isSent.current = false
    done(result)
  }, [result])
  const send = useCallback(
    (value: W) => {
      isSent.current = true
      set(value)
    },
    [set]
  )
  return [send, isGone || result.waiting, result.waiting]
}
