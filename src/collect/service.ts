import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problems.ts'
import type { BlobStore, ByteRange, HandOver, HandOverRequest, LentBytes } from '../files/ports.ts'
import type { Limits } from '../limits.ts'
import type { FileType, StoredFile } from '../model/application.ts'
import type { Verdict } from '../model/scan-state.ts'
import { type Format, pieceSeparator } from '../model/v1/rendering.ts'
import { type ListFrame, listFrame, singleFrame } from './list-frame.ts'
import { type IdBounds, idBoundsOf, type ListQuery } from './list-query.ts'
import type { ApplicationStore, HandedOut } from './ports.ts'

/** The advertiser whose applications are listed, and the agent that asks, if any. */
export interface ListOwner {
  advertiserId: number
  agentId: number | null
  /** The minimum version of the data; without one, the primary is read. */
  version?: number
}

export interface ListPage {
  content: Buffer
  /** The last ID of this page, if there are more. */
  continueAfter: number | undefined
  /** Undefined if it is empty. */
  handedOut: HandedOut | undefined
}

export interface Download {
  file: StoredFile
  open(range?: ByteRange): Promise<NodeJS.ReadableStream>
  lend(range?: ByteRange): Promise<LentBytes | undefined>
  handOver(request: HandOverRequest): Promise<HandOver | undefined>
}

export type Applications = ReturnType<typeof createApplications>

export function createApplications(deps: {
  store: ApplicationStore
  blobs: BlobStore
  clock: Clock
  limits: Pick<Limits, 'streamChunk' | 'unscannedRetryAfterSeconds'>
  /** Whether to hold back files that the scanner has not judged; true if a scanner is configured. */
  holdUnscanned: boolean
}) {
  const { store, blobs, clock, limits } = deps

  /** Turns dates into bounds on IDs, so that every later read is a plain range of the key. */
  async function boundsOf({ advertiserId, version }: ListOwner, query: ListQuery): Promise<IdBounds> {
    const asked = idBoundsOf(query)
    const { afterDate, beforeDate } = query
    const dates = {
      ...(afterDate === undefined ? {} : { afterDate }),
      ...(beforeDate === undefined ? {} : { beforeDate }),
    }
    const resolved = await store.resolveBounds(advertiserId, dates, version)
    return {
      after: Math.max(asked.after, resolved.after),
      before: Math.min(asked.before, resolved.before),
    }
  }

  return {
    /** Whether files without a verdict are held back. */
    holdsUnscanned: deps.holdUnscanned,

    recordVerdict: (advertiserId: number, applicationId: number, type: FileType, verdict: Verdict) =>
      store.recordVerdict(advertiserId, applicationId, type, verdict, clock()),

    /** The first `limit` matches. */
    async listPage(owner: ListOwner, format: Format, query: ListQuery, limit: number): Promise<ListPage> {
      const hasDates = query.afterDate !== undefined || query.beforeDate !== undefined
      const bounds = hasDates ? await boundsOf(owner, query) : idBoundsOf(query)
      const { includePrimaryInfo } = query
      const { advertiserId, version } = owner
      const frame = listFrame(format, owner, query)
      const page = await store.page(
        advertiserId,
        { ...bounds, format, includePrimaryInfo, limit, head: frame.head, tail: frame.closing + frame.tail },
        version,
      )
      return {
        content: page.count > 0 ? page.content : Buffer.from(frame.head + frame.tail),
        continueAfter: page.hasMore ? page.lastId : undefined,
        handedOut: page.count > 0 ? { firstId: bounds.after + 1, lastId: page.lastId } : undefined,
      }
    },

    /**
     * Every match up to the newest at this moment, in chunks, so that each read is short and memory use stays flat.
     * The first chunk is read before this resolves, so that an error until then can still be sent as a proper response.
     * `beforeMore` is called if there are more chunks, and `onChunk` before each that has applications.
     */
    async listAll(
      owner: ListOwner,
      format: Format,
      query: ListQuery,
      {
        beforeMore = async () => {},
        onChunk = () => {},
      }: { beforeMore?(): Promise<void>; onChunk?(handedOut: HandedOut): void } = {},
    ): Promise<AsyncIterable<Uint8Array>> {
      const bounds = await boundsOf(owner, query)
      const { includePrimaryInfo } = query
      const frame = listFrame(format, owner, query)
      const { before } = bounds
      const limit = limits.streamChunk
      const readChunk = (after: number, head: string) =>
        store.page(
          owner.advertiserId,
          { after, before, format, includePrimaryInfo, limit, head, tail: '' },
          owner.version,
        )
      const first = await readChunk(bounds.after, frame.head)
      if (first.hasMore) await beforeMore()
      const readMore = (after: number) => readChunk(after, pieceSeparator[format])
      return chunksOf({ ...first, after: bounds.after }, { readMore, frame, onChunk })
    },

    /** One application as the list shows it. */
    async one(
      advertiserId: number,
      applicationId: number,
      { format, includePrimaryInfo }: { format: Format; includePrimaryInfo: boolean },
      version?: number,
    ): Promise<Buffer> {
      const { head, tail } = singleFrame[format]
      const page = await store.page(
        advertiserId,
        {
          ...{ after: applicationId - 1, before: applicationId + 1, limit: 1 },
          ...{ format, includePrimaryInfo, head: '', tail },
        },
        version,
      )
      if (page.count === 0) throw new Problem('not-found')
      return Buffer.concat([Buffer.from(head.with), page.content.subarray(head.without.length)])
    },

    async download(
      advertiserId: number,
      applicationId: number,
      type: FileType,
      version?: number,
    ): Promise<Download> {
      const file = await store.file(advertiserId, applicationId, type, version)
      if (file === undefined) throw new Problem('not-found')
      if (file.scan === 'not-judged' && deps.holdUnscanned) throw new Problem('file-not-judged')
      if (file.scan === 'unscanned' && deps.holdUnscanned) {
        throw new Problem('not-yet-scanned', undefined, {
          retryAfterSeconds: limits.unscannedRetryAfterSeconds,
        })
      }
      return {
        file,
        open: range => blobs.open(file, range),
        lend: async range => blobs.lend?.(file, range),
        handOver: async request => blobs.handOver?.(file, request),
      }
    },

    async screen(
      advertiserId: number,
      applicationId: number,
      format: Format,
      version?: number,
    ): Promise<string> {
      const text = await store.screen(advertiserId, applicationId, format, version)
      if (text === undefined) throw new Problem('not-found')
      return text
    },
  }
}

type Chunk = Awaited<ReturnType<ApplicationStore['page']>>

async function* chunksOf(
  first: Chunk & { after: number },
  {
    readMore,
    frame,
    onChunk,
  }: { readMore(after: number): Promise<Chunk>; frame: ListFrame; onChunk(handedOut: HandedOut): void },
): AsyncGenerator<Uint8Array> {
  if (first.count === 0) {
    yield Buffer.from(frame.head + frame.tail)
    return
  }
  onChunk({ firstId: first.after + 1, lastId: first.lastId })
  yield first.content
  let last: Chunk = first
  while (last.hasMore) {
    const after = last.lastId
    last = await readMore(after)
    // Applications are never deleted, but if one were, the list must stay well-formed.
    if (last.count === 0) continue
    onChunk({ firstId: after + 1, lastId: last.lastId })
    yield last.content
  }
  yield Buffer.from(frame.closing + frame.tail)
}
