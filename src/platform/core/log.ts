/** Writes a line to the log of the service; the field `err` holds an error. */
type Write = (fields: object, message: string) => void

/** The log interface for modules. */
export interface Log {
  info: Write
  warn: Write
  error: Write
}
