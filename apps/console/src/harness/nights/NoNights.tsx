import { MoonStar } from "lucide-react"
import { Code } from "../../ui/Code.tsx"
import { Message } from "../../ui/Message.tsx"

/** Explains how to record a first night. */
const NoNights = () => (
  <Message icon={MoonStar} title="No night is recorded yet">
    <p>A recorded run becomes a night. From the sixth night on, each one is compared with the nights before.</p>
    <Code label="Command that records a night" text="npx webagent-harness run --record" />
  </Message>
)

export default NoNights
