import { Bug, CloudOff } from "lucide-react"
import { Component, type ReactNode } from "react"
import { Failed } from "../ui/Message.tsx"

interface BoundaryProps {
  /** Another value renders the content again after an error. */
  readonly of: string
  readonly children: ReactNode
}

interface BoundaryState {
  readonly failed: string | undefined
  readonly of: string
}

/** The error of a browser that can't load a file of a screen. It would fail the same way until the page is loaded again. */
const isUnloaded = /dynamically imported module|module script|preload CSS|import\(\)/iu

/** Shows an error of one screen in its place, so that the rest of the console still works. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failed: undefined, of: this.props.of }

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failed: error instanceof Error ? error.message : String(error) }
  }

  static getDerivedStateFromProps({ of }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return of === state.of ? null : { failed: undefined, of }
  }

  override render(): ReactNode {
    const { failed } = this.state
    if (failed === undefined) return this.props.children
    // a page that is one file loads no other ones
    if (!isFile && isUnloaded.test(failed)) {
      return (
        <Failed
          icon={CloudOff}
          title="Couldn't load this screen"
          reason="The server isn't responding, or was updated."
          onRetry={() => location.reload()}
          whole
        />
      )
    }
    return (
      <Failed
        icon={Bug}
        title="This screen has an error"
        reason={`${failed}. If trying again doesn't help, reload the page: the server may have been updated.`}
        onRetry={() => this.setState({ failed: undefined })}
        whole
      />
    )
  }
}
