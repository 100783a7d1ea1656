import type { ProcessFigures } from '../../http/observed/metrics-sum.ts'

/** What a supervisor and its workers say to each other. Only main.ts knows how it gets there. */

export interface WorkerIsUp {
  port: number
  baseUrl: string
  database: string
}

export type FromWorker = { up: WorkerIsUp } | { figures: ProcessFigures }
export type ToWorker = { stop: string } | { wanted: 'figures' }

export interface WorkerExit {
  code: number | null
  signal: string | null
}

/** A worker, as its supervisor sees it. */
export interface WorkerProcess {
  pid: number | undefined
  exited: Promise<WorkerExit>
  /** Does nothing when it has gone. */
  tell(message: ToWorker): void
  onMessage(listener: (message: FromWorker) => void): void
  kill(): void
}

/** Settings that differ from those of the supervisor. */
export type StartWorker = (number: number, settings: Record<string, string>) => WorkerProcess

/** The supervisor, as a worker sees it. To be told to stop is like a signal, and comes in the same way. */
export interface Supervisor {
  /** Which of the workers this one is, from 1. */
  number: number
  /** Resolves when it is on its way, or when there is nobody to tell. */
  tell(message: FromWorker): Promise<void>
  onFiguresWanted(listener: () => void): void
}

/** Why a worker is to stop, when it is no signal: another one has taken its place. */
export const replaced = 'replaced'
