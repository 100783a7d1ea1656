/** Writes a line to the log of the service; `err` among the fields holds an error. */
type Write = (fields: object, message: string) => void

/** The log as modules use it. */
export interface Log {
  info: Write
  warn: Write
  error: Write
}
