import * as AsyncResult from "effect/reactivity/AsyncResult"
import { ChevronDown, ChevronUp } from "lucide-react"
import { useEffect, useEffectEvent, useMemo } from "react"
import { go } from "../../state/place.ts"
import { letterKeys } from "../../state/preferences.ts"
import { registry, useAtom } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { isShortcut } from "../../ui/keyboard.ts"
import { runPages } from "../runs/runs.state.ts"
import styles from "./RunScreen.module.css"

interface NeighborsProps {
  readonly id: string
  /** The filters of the list from which the run was opened. */
  readonly list: string
}

/** Leads to the previous and the next run of the list, by its buttons and by K and J. */
export const Neighbors = ({ id, list }: NeighborsProps) => {
  const [result, more] = useAtom(runPages(list))
  const pages = AsyncResult.isSuccess(result) ? result.value.items : undefined
  const ids = useMemo(() => pages?.flatMap((page) => page.ids) ?? [], [pages])
  const index = ids.indexOf(id)
  const isAtEnd = index !== -1 && index === ids.length - 1
  const hasMore = AsyncResult.isSuccess(result) && !result.waiting && !result.value.done
  useEffect(() => {
    if (isAtEnd && hasMore) more()
  }, [hasMore, isAtEnd, more])
  const idAt = (by: number) => (index === -1 ? undefined : ids[index + by])
  const move = (by: number) => {
    const to = idAt(by)
    if (to !== undefined) go(`/runs/${to}`)
  }
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isShortcut(event) || !registry.get(letterKeys)) return
    if (event.key === "J") move(1)
    if (event.key === "K") move(-1)
  })
  useEffect(() => {
    window.addEventListener("keydown", press)
    return () => window.removeEventListener("keydown", press)
  }, [])
  if (index === -1) return null
  return (
    <span className={styles["neighbors"]}>
      <Button
        kind="ghost"
        aria-label="Previous run"
        title="Previous run (K)"
        disabled={index === 0}
        onClick={() => move(-1)}
      >
        <ChevronUp aria-hidden />
      </Button>
      <Button
        kind="ghost"
        aria-label="Next run"
        title="Next run (J)"
        disabled={idAt(1) === undefined}
        onClick={() => move(1)}
      >
        <ChevronDown aria-hidden />
      </Button>
    </span>
  )
}
