import { Bookmark, X } from "lucide-react"
import { useRef } from "react"
import { say } from "../../state/notices.ts"
import { useAtom } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { Link } from "../../ui/Link.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { filtersOf, textOf } from "./filters.ts"
import { longestName, type View, views, withView } from "./views.ts"
import styles from "./RunsScreen.module.css"

/** Saved views, each with a button that deletes it, and a field that saves the filters in force. */
export const Views = ({ text }: { readonly text: string }) => {
  const [all, set] = useAtom(views)
  const field = useRef<HTMLInputElement>(null)
  const isSaved = all.some(({ search }) => search === text)
  if (all.length === 0 && text === "") return null
  const save = () => {
    const name = field.current?.value.trim() ?? ""
    if (name === "") return field.current?.focus()
    set(withView(all, { name, search: text }))
    if (field.current !== null) field.current.value = ""
    return say(`View saved in this browser: ${name}`)
  }
  const remove = (view: View) => {
    set(all.filter((one) => one !== view))
    say(`View deleted: ${view.name}`)
  }
  return (
    <div className={styles["views"]}>
      {all.length === 0 ? null : (
        <ul aria-label="Saved views">
          {all.map((view) => (
            <li key={view.name}>
              <Link
                to={`/runs${textOf(filtersOf(view.search))}`}
                aria-current={view.search === text ? "page" : undefined}
              >
                <Untrusted max={longestName}>{view.name}</Untrusted>
              </Link>
              <button type="button" aria-label={`Delete the view ${view.name}`} onClick={() => remove(view)}>
                <X aria-hidden size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {text === "" || isSaved ? null : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            save()
          }}
        >
          <input ref={field} aria-label="Name of the view" placeholder="Name these filters" maxLength={longestName} />
          <Button type="submit">
            <Bookmark aria-hidden />
            Save view
          </Button>
        </form>
      )}
    </div>
  )
}
