import { go } from "../../state/place.ts"
import { Link } from "../../ui/Link.tsx"
import { compareAddress } from "../state/address.ts"
import { type Choice, textOf } from "./filters.ts"
import { statusOf } from "./heads.ts"
import type { Heat } from "./heat.ts"
import { startOf } from "../state/start.ts"
import styles from "./NightsScreen.module.css"

/** Chooses two nights to compare; the newest two at first. */
export const CompareForm = ({ choice, heat }: { readonly choice: Choice; readonly heat: Heat }) => {
  const [first, second] = heat.nights
  if (first === undefined || second === undefined) return null
  const [before = second.of.id, after = first.of.id] = choice.compared
  const starts = heat.nights.map(({ of }) => of)
  const select = (label: string, value: string, set: (id: string) => ReadonlyArray<string>) => (
    <label>
      <span>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) =>
          go(`/${textOf({ ...choice, compared: set(currentTarget.value) })}`, { replace: true })
        }
      >
        {heat.nights.map((night) => (
          <option key={night.of.id} value={night.of.id}>
            {startOf(night.of, starts)} {statusOf(night)}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <div className={styles["filters"]}>
      {select("Before", before, (id) => [id, after])}
      {select("After", after, (id) => [before, id])}
      <Link to={compareAddress(after, before)} className={styles["go"]}>
        Compare
      </Link>
    </div>
  )
}
