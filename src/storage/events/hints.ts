import type { Stream } from '../../model/events.ts'
import type { ChangeHints } from '../database/tables.ts'

export type HintListener = (stream: Stream) => void

/** Tells the listeners of this process which streams have new events. */
export function createHints(): ChangeHints & { listen(listener: HintListener): void } {
  const listeners: HintListener[] = []
  return {
    changed: stream => {
      for (const listener of listeners) listener(stream)
    },
    listen: listener => {
      listeners.push(listener)
    },
  }
}
