export * from "./PollBudget.ts"
export * as PollSchedule from "./PollSchedule.ts"
export * as Waiter from "./Waiter.ts"
export * from "./WaitTimeoutError.ts"
