import { Bookmark, X } from "lucide-react"
import { useRef } from "react"
import { say } from "../../state/notices.ts"
import { useAtom } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { emptyForm, type FormTexts, longestName, savedTemplates, templates, withTemplate } from "./form.ts"
import styles from "./StartScreen.module.css"

interface TemplatesProps {
  readonly form: FormTexts
  readonly isSimulated: boolean
  readonly onChoose: (form: FormTexts) => void
}

/** Tasks to begin with: some for everybody, and those that were saved in this browser. */
export const Templates = ({ form, isSimulated, onChoose }: TemplatesProps) => {
  const [saved, set] = useAtom(savedTemplates)
  const field = useRef<HTMLInputElement>(null)
  const save = () => {
    const name = field.current?.value.trim() ?? ""
    if (name === "") return field.current?.focus()
    set(withTemplate(saved, name, form))
    if (field.current !== null) field.current.value = ""
    return say(`Template saved in this browser: ${name}`)
  }
  return (
    <>
      <div className={styles["templates"]} role="group" aria-label="Templates">
        {templates(isSimulated).map(({ name, ...texts }) => (
          <button key={name} type="button" onClick={() => onChoose({ ...emptyForm, ...texts })}>
            {name}
          </button>
        ))}
        {saved.map((template) => {
          const { name, ...texts } = template
          return (
            <span key={`saved ${name}`}>
              <button type="button" onClick={() => onChoose(texts)}>
                <Untrusted max={longestName}>{name}</Untrusted>
              </button>
              <button
                type="button"
                aria-label={`Delete the template ${name}`}
                onClick={() => set(saved.filter((one) => one !== template))}
              >
                <X aria-hidden size={12} />
              </button>
            </span>
          )
        })}
      </div>
      {form.task.trim() === "" ? null : (
        <div className={styles["saveAs"]}>
          <input
            ref={field}
            aria-label="Name of the template"
            placeholder="Name this template"
            maxLength={longestName}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return
              // the form would start the run
              event.preventDefault()
              save()
            }}
          />
          <Button onClick={save}>
            <Bookmark aria-hidden />
            Save as template
          </Button>
        </div>
      )}
    </>
  )
}
