import { MoonStar } from "lucide-react"
import { Message } from "../../ui/Message.tsx"
import { Command } from "../state/Command.tsx"

/** Explains how to record a first night. */
const NoNights = () => (
  <Message icon={MoonStar} title="No nights yet">
    <p>A recorded run becomes a night. From the sixth night on, each one is compared with the nights before.</p>
    <Command label="Command that records a night" words="run --record" />
  </Message>
)

export default NoNights
