import Dialog from "../../ui/Dialog.tsx"
import type { RunBody } from "./code.ts"
import { CodeTabs } from "./CodeTabs.tsx"

/** The code that starts a run, in a dialog. */
const CodeDialog = ({ body, onClose }: { readonly body: RunBody; readonly onClose: () => void }) => (
  <Dialog title="Copy as code" onClose={onClose}>
    <CodeTabs body={body} />
  </Dialog>
)

export default CodeDialog
