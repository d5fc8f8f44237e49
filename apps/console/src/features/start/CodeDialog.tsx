import Dialog from "../../ui/Dialog.tsx"
import { CodeTabs, type CodeTabsProps } from "./CodeTabs.tsx"

/** The code that starts a run, in a dialog. */
const CodeDialog = ({ onClose, ...tabs }: CodeTabsProps & { readonly onClose: () => void }) => (
  <Dialog isWide title="Copy as code" onClose={onClose}>
    <CodeTabs {...tabs} />
  </Dialog>
)

export default CodeDialog
