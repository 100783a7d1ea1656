import type { Stream } from '../../model/events.ts'
import type { ProcessFigures } from '../../platform/http/observed/metrics-sum.ts'

/** Messages between a supervisor and its workers. Only main.ts knows how they are sent. */

export interface WorkerIsUp {
  port: number
  baseUrl: string
  database: string
}

/** Streams that have new events. */
export interface Changed {
  changed: readonly Stream[]
}

export type FromWorker = { up: WorkerIsUp } | { figures: ProcessFigures } | Changed
export type ToWorker = { stop: string } | { wanted: 'figures' } | Changed

export interface WorkerExit {
  code: number | null
  signal: string | null
}

/** A worker as its supervisor sees it. */
export interface WorkerProcess {
  pid: number | undefined
  exited: Promise<WorkerExit>
  /** Does nothing if the worker has exited. */
  tell(message: ToWorker): void
  onMessage(listener: (message: FromWorker) => void): void
  kill(): void
}

/** Settings that differ from the supervisor's. */
export type StartWorker = (number: number, settings: Record<string, string>) => WorkerProcess

/** The supervisor as a worker sees it. Its request to stop arrives like a signal. */
export interface Supervisor {
  /** Number of this worker, counted from 1. */
  number: number
  /** Resolves when the message has been sent or the supervisor is gone. */
  tell(message: FromWorker): Promise<void>
  onFiguresWanted(listener: () => void): void
  /** Calls the listener with the streams that other workers have changed. */
  onChanged(listener: (streams: Changed['changed']) => void): void
}

/** The reason to stop when another worker replaces this one. */
export const replaced = 'replaced'
