import {
  type ClientEventType,
  type EventType,
  type Stream,
  streamKey,
  streamOfKey,
} from '../../model/events.ts'
import { withoutAuditContext } from '../../platform/core/async/audit-context.ts'
import type { ChangeNotifier } from '../../platform/database/change-notifier.ts'
import type { ChangeHints } from '../../schema/change-hints.ts'

/** Source of a hint: a write of this process, another worker of its node, or the database. */
export type HintSource = 'local' | 'worker' | 'notify'
/** The number of hints from each source. */
export type HintCounts = Record<HintSource, number>
/** `stream` is undefined if any stream may have changed. */
export type HintListener = (stream: Stream | undefined, from: HintSource) => void

/**
 * Notifies the listeners of this process of streams with new events, and exchanges these hints between processes. A
 * hint may be lost: it only makes a listener poll earlier.
 */
export function createHints(notifier: ChangeNotifier | undefined, gatherMs: number) {
  const listeners: HintListener[] = []
  const flushes: (() => Promise<void>)[] = []
  const written: Partial<Record<EventType | ClientEventType, number>> = {}
  const counts: HintCounts = { local: 0, worker: 0, notify: 0 }
  let attending = 0

  function tell(stream: Stream | undefined, from: HintSource): void {
    counts[from] += 1
    // A listener's work and reads are not part of the request that caused the change.
    withoutAuditContext(() => {
      for (const listener of listeners) listener(stream, from)
    })
  }

  function heard(streams: readonly Stream[] | undefined, from: HintSource): void {
    if (streams === undefined) tell(undefined, from)
    else for (const stream of streams) tell(stream, from)
  }

  /**
   * Passes on the changes of this process in groups, so that a busy process sends at most a hundred messages a second.
   */
  function forward(send: (streams: Stream[]) => Promise<unknown>): void {
    let gathered = new Map<string, Stream>()
    let timer: NodeJS.Timeout | undefined
    async function flush(): Promise<void> {
      clearTimeout(timer)
      const streams = [...gathered.values()]
      gathered = new Map()
      // If sending fails, the hint is lost, and its readers find the change by polling.
      if (streams.length > 0) await send(streams).catch(() => {})
    }
    listeners.push((stream, from) => {
      if (stream === undefined || from !== 'local') return
      if (gathered.size === 0) timer = setTimeout(flush, gatherMs)
      gathered.set(streamKey(stream), stream)
    })
    flushes.push(flush)
  }

  const ring = notifier?.ring
  if (ring !== undefined) forward(streams => ring(streams.map(streamKey)))
  return {
    changed(stream, types = []) {
      for (const type of types) written[type] = (written[type] ?? 0) + 1
      tell(stream, 'local')
    },
    heard,
    listen: (listener: HintListener) => void listeners.push(listener),
    forward,

    /** Also listens for changes of other processes, until the returned function is called. */
    attend(): () => void {
      attending += 1
      if (attending === 1) notifier?.attend(streams => heard(streams?.map(streamOfKey), 'notify'))
      return () => {
        attending -= 1
        if (attending === 0) notifier?.rest()
      }
    },
    /** Whether changes of other processes are announced: polls for them are then seldom needed. */
    isHeard: () => notifier?.isHeard() ?? false,
    counts: (): Readonly<HintCounts> => counts,
    /** Numbers of events written by this process, by type. */
    written: () => written,

    async close(): Promise<void> {
      notifier?.close()
      await Promise.all(flushes.map(flush => flush()))
    },
  } satisfies ChangeHints & Record<string, unknown>
}
