import type { JobApplication } from './api-types.ts'
import type { ApplicationReader } from './application-reader.ts'
import type { DossierFile } from './download.ts'
import { DossierError } from './errors.ts'
import type { DossierEvent } from './event-types.ts'
import type { Feed } from './feed.ts'
import { batches, type CursorStore, type FollowOptions, type Gap, isTooOld, withStore } from './follow.ts'

export interface AttachedFile extends DossierFile {
  type: 'resume' | 'coverLetter' | 'selectionCriteria'
}

type Handled = Promise<void> | void

/** Every handler may be called again with the same after a crash or a gap: write what it gets over what you have. */
export interface StepOptions extends Pick<FollowOptions, 'limit' | 'wait' | 'signal' | 'onRetry'> {
  /** Not one of `events.follow`: it keeps the position within the first synchronisation too. */
  cursorStore: CursorStore
  /** An application that is new, or whose files have been judged since. */
  onApplication(application: JobApplication): Handled
  /** Its personal data is gone here; delete yours. */
  onErased(applicationId: number): Handled
  /** The candidate has taken it back. */
  onWithdrawn?(applicationId: number): Handled
  /** Each file as soon as the scanner allows it; an infected one is empty. Without this handler no file is downloaded. */
  onFile?(file: AttachedFile, application: JobApplication): Handled
  /** Called before the list is read again, because events are missing. */
  onGap?(gap: Gap): Handled
}

interface Position {
  cursor: string
  /** Applications up to this ID are known. */
  after: number
  /** The list is still being read, up to `after` so far. */
  isReading?: true
  /** The withdrawals before `cursor` have been reported. Positions that release 0.1.0 stored lack it. */
  hasWithdrawals?: true
}

export function keepInStep(
  applications: ApplicationReader,
  feed: Feed<DossierEvent>,
  options: StepOptions,
): Promise<void> {
  const { cursorStore, signal, onGap } = options
  /** Applications come with what events have of them. */
  const asInEvents = { includePrimaryJobSeekingInfo: true, ...(signal ? { signal } : {}) }
  return withStore(cursorStore, async stored => {
    try {
      let position = stored === undefined ? await restart() : positionIn(stored)
      for (;;) {
        try {
          if (position.isReading) position = await readList(position)
          if (!position.hasWithdrawals) {
            await reportWithdrawals()
            position = await save({ ...position, hasWithdrawals: true })
          }
          return await followFrom(position)
        } catch (error) {
          if (!isTooOld(error)) throw error
          await onGap?.({ reason: 'cursor-too-old', detail: error.message })
          position = await restart()
        }
      }
    } catch (error) {
      if (error !== signal?.reason) throw error
    }
  })

  /** The cursor comes first, so that nothing can happen between the list and the events. */
  async function restart(): Promise<Position> {
    const { cursor } = await feed.page({ cursor: 'now', wait: 0 }, options)
    return save({ cursor, after: 0, isReading: true })
  }

  async function readList({ cursor, after }: Position): Promise<Position> {
    for (let last = after; ; ) {
      const page = await applications.page({ afterId: last, ...asInEvents })
      for (const application of page.applications) await tell(application)
      last = page.applications.at(-1)?.ID ?? last
      if (page.isLast) return save({ cursor, after: last })
      await save({ cursor, after: last, isReading: true })
    }
  }

  /** The list doesn't show who has withdrawn: those that are not erased yet are among the events that are kept. */
  async function reportWithdrawals(): Promise<void> {
    const query = { wait: 0, limit: 1000, types: ['application.withdrawn'] }
    for (let cursor = 'start', more = true; more; ) {
      const page = await feed.page({ cursor, ...query }, options)
      for (const { type, data } of page.events) {
        if (type === 'application.withdrawn') await options.onWithdrawn?.(data.applicationId)
      }
      ;({ cursor, more } = page)
    }
  }

  async function followFrom({ cursor, after }: Position): Promise<void> {
    let known = after
    const { limit, wait, onRetry } = options
    const asked = { include: 'application', ...without({ limit, wait, signal, onRetry }) } as const
    for await (const { events, cursor: next } of batches(feed, cursor, asked)) {
      for (const event of events) {
        if (signal?.aborted) return
        known = await apply(event, known)
      }
      await save({ cursor: next, after: known, hasWithdrawals: true })
    }
  }

  /** Returns the highest ID that is known afterwards. */
  async function apply(event: DossierEvent, known: number): Promise<number> {
    switch (event.type) {
      case 'application.created':
      case 'application.imported': {
        const { applicationId } = event.data
        if (applicationId <= known) return known
        const application = await current(applicationId, event.application)
        // One that was erased since is followed by its erasure.
        if (application !== undefined && !isErased(application)) await tell(application)
        return applicationId
      }
      case 'attachment.scanned': {
        const { applicationId, attachmentType } = event.data
        const application = await current(applicationId, event.application)
        if (application !== undefined && !isErased(application)) await tell(application, attachmentType)
        return known
      }
      case 'application.erased':
        await options.onErased(event.data.applicationId)
        return known
      case 'application.withdrawn':
        await options.onWithdrawn?.(event.data.applicationId)
        return known
      case 'stream.restored':
        await onGap?.({ reason: 'restored', detail: `since ${event.data.since}` })
        await readAround(event.data.since)
        await reportWithdrawals()
        return known
      default:
        return known
    }
  }

  /** The newest applications, as the service has them now: what it lost happened shortly before. */
  async function readAround(since: string): Promise<void> {
    // A day before, in the zone of version 1, which is ten hours ahead.
    const afterDate = new Date(Date.parse(since) - 14 * 3_600_000).toISOString().slice(0, 19)
    for await (const application of applications.list({ afterDate, ...asInEvents })) await tell(application)
  }

  async function current(id: number, given: JobApplication | null | undefined) {
    if (given) return given
    return applications.get(id, asInEvents).catch(ignoring('not-found'))
  }

  async function tell(application: JobApplication, onlyType?: string): Promise<void> {
    if (isErased(application)) return options.onErased(application.ID)
    await options.onApplication(application)
    if (options.onFile === undefined) return
    for (const { Type } of application.Attachments) {
      if (Type === 'screen' || (onlyType !== undefined && Type !== onlyType)) continue
      // A file that waits for the scanner has an event of its own later.
      const file = await applications[Type](application.ID, { signal }).catch(
        ignoring('not-found', 'not-yet-scanned', 'file-not-judged'),
      )
      if (file !== undefined) await options.onFile({ ...file, type: Type }, application)
    }
  }

  async function save(position: Position): Promise<Position> {
    await cursorStore.save(JSON.stringify(position))
    return position
  }
}

function positionIn(stored: string): Position {
  try {
    const position: Position = JSON.parse(stored)
    if (typeof position.cursor === 'string' && Number.isSafeInteger(position.after)) return position
  } catch {}
  throw new DossierError('bad-settings', 'the store holds a cursor of events.follow: use another one here')
}

/** Erasure leaves the ID and the date. */
const isErased = ({ Email, FirstName, LastName }: JobApplication) => Email + FirstName + LastName === ''

const ignoring =
  (...codes: string[]) =>
  (error: unknown): undefined => {
    if (!(error instanceof DossierError && codes.includes(error.code))) throw error
  }

/** Leaves out what is undefined. */
function without<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never
}
