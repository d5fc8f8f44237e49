import {
  BadCursorError,
  BrowserNotFoundError,
  ConflictError,
  ContentTooLargeError,
  HTTPValidationError,
  MessageNotFoundError,
  ProfileNotFoundError,
  RunNotFoundError,
  SessionNotFoundError,
  ShareNotFoundError,
  TaskNotFoundError,
  UnauthorizedError,
  WorkspaceNotFoundError
} from "@webagent/contract"
import { WaitTimeoutError } from "@webagent/polling"
import { ClientConfigError } from "./ClientConfig.ts"
import { CreateOutcomeUnknown } from "./CreateOutcomeUnknown.ts"
import { OperationUnavailableError } from "./OperationUnavailableError.ts"
import { TooManyRequestsError } from "./TooManyRequestsError.ts"
import { TransportError } from "./TransportError.ts"

const classes = [
  BadCursorError,
  BrowserNotFoundError,
  ClientConfigError,
  ConflictError,
  ContentTooLargeError,
  CreateOutcomeUnknown,
  HTTPValidationError,
  MessageNotFoundError,
  OperationUnavailableError,
  ProfileNotFoundError,
  RunNotFoundError,
  SessionNotFoundError,
  ShareNotFoundError,
  TaskNotFoundError,
  TooManyRequestsError,
  TransportError,
  UnauthorizedError,
  WaitTimeoutError,
  WorkspaceNotFoundError
]

/**
 * Lets `instanceof` recognize errors that another copy of a class made, by the mark with which Effect recognizes them:
 * in Node, each package of promise clients contains a copy. A class that extends one of these finds its own errors only.
 */
export const recognize = (): void => {
  for (const errorClass of classes) {
    const mark = `~effect/Schema/Class/${errorClass.identifier}`
    Object.defineProperty(errorClass, Symbol.hasInstance, {
      // A second call for the same classes replaces the first.
      configurable: true,
      value(this: unknown, value: unknown) {
        return this === errorClass ? mark in Object(value) : Function.prototype[Symbol.hasInstance].call(this, value)
      }
    })
  }
}
