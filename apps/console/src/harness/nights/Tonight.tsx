import { span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { addressOf, statusOf } from "./heads.ts"
import type { Night } from "./heat.ts"
import { costOf, titleOf } from "./title.ts"
import styles from "./NightsScreen.module.css"

/** The newest night in a line. */
const Tonight = ({ night }: { readonly night: Night }) => (
  <>
    <span className={styles["status"]} data-status={night.of.isAway ? "failed" : (night.of.status ?? "none")}>
      {statusOf(night)}
    </span>
    <Link to={addressOf(night)}>
      <Untrusted max={200}>{titleOf(night)}</Untrusted>
    </Link>
    <span>
      <Time at={night.of.startedAt} /> · {span(night.of.duration_ms)} · {costOf(night)}
    </span>
  </>
)

export default Tonight
