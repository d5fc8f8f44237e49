import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useEffect } from "react"
import { ConnectionState, type Dialogs, Frame } from "../app/Frame.tsx"
import { path } from "../state/place.ts"
import { theme } from "../state/preferences.ts"
import { useAtomMount, useAtomValue } from "../state/react.ts"
import { Untrusted } from "../ui/Untrusted.tsx"
import { rowKeys } from "../ui/rowKeys.ts"
import { moment } from "../ui/format.ts"
import { menu, shownAt } from "./routes.ts"
import { project } from "./state/source.ts"

/** The last part of a folder's path. */
const lastPart = (folder: string): string => folder.split(/[/\\]/u).findLast((part) => part !== "") ?? folder

/** The frame around the harness's screens. A page that is one file has no dialogs. */
export const App = ({
  dialogs,
  entries = menu
}: {
  readonly dialogs: Dialogs | undefined
  /** The navigation. In a page that is one file, it has only the screens whose data the file has. */
  readonly entries?: typeof menu
}) => {
  useAtomMount(theme)
  useEffect(rowKeys, [])
  const at = useAtomValue(path)
  const about = useAtomValue(project)
  const of = AsyncResult.isSuccess(about) ? about.value : undefined
  const exportedAt = of?.exportedAt ?? null
  return (
    <Frame
      shown={shownAt(at)}
      missing="Check the address."
      home={["/", "Nights"]}
      entries={entries}
      actions={[]}
      dialogs={dialogs}
      state={exportedAt !== null ? <span>Exported {moment(exportedAt)}</span> : isFile ? null : <ConnectionState />}
      foot={
        of === undefined ? null : (
          <span title={isFile ? undefined : `Reads and writes ${of.folder}`}>
            <Untrusted max={40}>
              {[lastPart(of.folder), of.tool.version].filter((part) => part !== "").join(" · ")}
            </Untrusted>
          </span>
        )
      }
    />
  )
}
