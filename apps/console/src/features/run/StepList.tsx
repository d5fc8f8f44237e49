import type { RunStep } from "@webagent/admin"
import { CircleAlert, X } from "lucide-react"
import { useMemo } from "react"
import { Button } from "../../ui/Button.tsx"
import { count } from "../../ui/format.ts"
import { allSteps, fits, type StepFilter } from "./stepFilter.ts"
import { Steps, type StepsProps } from "./Steps.tsx"
import styles from "./Steps.module.css"

interface StepListProps extends StepsProps {
  readonly steps: ReadonlyArray<RunStep>
  readonly filter: StepFilter
  readonly onFilter: (filter: StepFilter) => void
}

/** The steps of a run, with a search for their words, for failed ones and for a range of the timeline. */
export const StepList = ({ filter, onFilter, steps, ...props }: StepListProps) => {
  const fitting = useMemo(() => steps.filter((step) => fits(step, filter)), [filter, steps])
  const failed = steps.filter(({ failure }) => failure !== null).length
  const isFiltered = filter.text.trim() !== "" || filter.isFailed || filter.range !== undefined
  return (
    <div className={styles["list"]}>
      <div className={styles["filter"]}>
        <input
          type="search"
          aria-label="Search steps"
          placeholder="Search steps"
          maxLength={200}
          value={filter.text}
          onChange={({ currentTarget: { value } }) => onFilter({ ...filter, text: value })}
          onKeyDown={({ currentTarget, key }) => (key === "Escape" ? currentTarget.blur() : undefined)}
        />
        {failed === 0 ? null : (
          <Button aria-pressed={filter.isFailed} onClick={() => onFilter({ ...filter, isFailed: !filter.isFailed })}>
            <CircleAlert aria-hidden />
            Failed ({count(failed)})
          </Button>
        )}
        {filter.range === undefined ? null : (
          <Button onClick={() => onFilter({ ...filter, range: undefined })}>
            <X aria-hidden />
            Clear the range
          </Button>
        )}
        <span role="status">{isFiltered ? `${count(fitting.length)} of ${count(steps.length)} steps` : ""}</span>
      </div>
      {fitting.length > 0 ? (
        <Steps steps={fitting} {...props} />
      ) : (
        <div className={styles["none"]}>
          <p>No steps match.</p>
          <Button onClick={() => onFilter(allSteps)}>Show all steps</Button>
        </div>
      )}
    </div>
  )
}
