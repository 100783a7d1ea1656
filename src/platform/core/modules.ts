/**
 * The modules of the service, for commands and checks of its rooms. The program adds them, as rooms add their tables to `Schema`:
 * src/assembly/process/context.ts.
 */
export interface Modules {
  close(): Promise<void>
}
