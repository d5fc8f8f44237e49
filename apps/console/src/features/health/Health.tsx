import * as Effect from "effect/Effect"
import { Console } from "../../state/client.ts"
import { epoch } from "../../state/live.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { settled } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { now } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { Facts } from "../../ui/Record.tsx"
import { Status } from "../../ui/Status.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { factsOf } from "./facts.ts"

const health = Console.runtime.atom((get) => {
  get(epoch)
  get(settled("runs"))
  // a database that fails sends no events
  get(now)
  return Effect.flatMap(Console, (client) => client.server.health())
})

const runsLink = (status: string, text: string | null) =>
  text === null ? null : (
    <Link to={`/runs?status=${status}`} title="Show the runs">
      {text}
    </Link>
  )

/** Health of the server and its database, and the length of the queue. */
export const Health = () => (
  <Section title="Health">
    <Answer of={useAtomValue(health)} what="health" onRetry={() => registry.refresh(health)}>
      {({ details, reason, status }) => {
        const { database, problem, queued, running } = factsOf(details, reason)
        return (
          <>
            <p>
              <Status of={status} /> <Untrusted>{problem ?? ""}</Untrusted>
            </p>
            <Facts
              of={[
                ["Database", database],
                ["Queued runs", runsLink("queued", queued)],
                ["Running runs", runsLink("running", running)]
              ]}
            />
          </>
        )
      }}
    </Answer>
  </Section>
)
