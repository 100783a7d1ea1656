import type { AnyFileType } from '../model/application.ts'
import { BoardProblem } from '../model/problems.ts'
import { type Format, pieceSeparator } from '../model/v1/rendering.ts'
import type {
  BlobStore,
  ByteRange,
  DelegatedDownload,
  DownloadRequest,
  PooledBytes,
} from '../platform/blobs/ports.ts'
import type { Verdict } from '../platform/blobs/scan-state.ts'
import { unscannedRetryAfterSeconds } from '../platform/blobs/scan-state.ts'
import type { Clock } from '../platform/core/clock.ts'
import { Problem } from '../platform/core/problems.ts'
import type { FoundFile } from './application-reads-store.ts'
import type { ApplicationStore } from './application-store.ts'
import { type ListFrame, listFrame, singleFrame } from './list-frame.ts'
import { type IdBounds, idBoundsOf, type ListQuery } from './list-query.ts'
import type { HandedOut } from './page-cache.ts'

/**
 * Limit: Applications read at once while a whole list is streamed: about 200 kB. 500 were a fifth faster, but the
 * process needed half as much memory again.
 */
const streamChunk = 200

const bounds = { streamChunk }

/** The advertiser whose applications are listed, and the agent that asks, if any. */
export interface ListOwner {
  advertiserId: number
  agentId: number | null
  /** The minimum version of the data; without one, the primary is read. */
  version?: number
}

export interface ListPage {
  content: Buffer
  /** The last ID of this page, if there are more pages. */
  continueAfter: number | undefined
  /** Undefined if the page is empty. */
  handedOut: HandedOut | undefined
}

export interface Download {
  file: FoundFile
  open(range?: ByteRange): Promise<NodeJS.ReadableStream>
  acquire(range?: ByteRange): Promise<PooledBytes | undefined>
  delegateDownload(request: DownloadRequest): Promise<DelegatedDownload | undefined>
}

export type Applications = ReturnType<typeof createApplications>

export function createApplications(deps: {
  store: ApplicationStore
  blobs: BlobStore
  clock: Clock
  limits?: Partial<typeof bounds>
  /** Whether to hold back files that the scanner has not judged; true if a scanner is configured. */
  holdUnscanned: boolean
}) {
  const { store, blobs, clock } = deps
  const limits = { ...bounds, ...deps.limits }

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

  /** Resolves when the data in a list is durable. Without a version, its response waits for everything that was read. */
  async function whenDurable({ advertiserId, version }: ListOwner): Promise<void> {
    if (version !== undefined) await store.whenDurable(advertiserId, version)
  }

  return {
    whenDurable,

    /** Whether files without a verdict are held back. */
    holdsUnscanned: deps.holdUnscanned,

    recordVerdict: (advertiserId: number, applicationId: number, type: AnyFileType, verdict: Verdict) =>
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
     * Every match up to the newest at this moment, in chunks, so that each read is short and memory use stays constant.
     * The first chunk is read before this resolves, so that an error until then can still be sent as a proper response.
     * `beforeMore` is called if there are more chunks, and `onChunk` before each chunk with applications.
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
      const readChunk = async (after: number, head: string) => {
        const request = { after, before, format, includePrimaryInfo, limit, head, tail: '' }
        const chunk = await store.page(owner.advertiserId, request, owner.version)
        await whenDurable(owner)
        return chunk
      }
      const first = await readChunk(bounds.after, frame.head)
      if (first.hasMore) await beforeMore()
      const readMore = (after: number) => readChunk(after, pieceSeparator[format])
      return chunksOf({ ...first, after: bounds.after }, { readMore, frame, onChunk })
    },

    /** One application, rendered as in the list. */
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
          after: applicationId - 1,
          before: applicationId + 1,
          limit: 1,
          format,
          includePrimaryInfo,
          head: '',
          tail,
        },
        version,
      )
      if (page.count === 0) throw new Problem('not-found')
      return Buffer.concat([Buffer.from(head.with), page.content.subarray(head.without.length)])
    },

    async download(
      advertiserId: number,
      applicationId: number,
      type: AnyFileType,
      version?: number,
    ): Promise<Download> {
      const file = await store.file(advertiserId, applicationId, type, version)
      if (file === undefined) throw new Problem('not-found')
      if (file.scan === 'not-judged' && deps.holdUnscanned) throw new BoardProblem('file-not-judged')
      if (file.scan === 'unscanned' && deps.holdUnscanned) {
        throw new BoardProblem('not-yet-scanned', undefined, {
          retryAfterSeconds: unscannedRetryAfterSeconds,
        })
      }
      return {
        file,
        open: range => blobs.open(file, range),
        acquire: async range => blobs.acquire?.(file, range),
        delegateDownload: async request => blobs.delegateDownload?.(file, request),
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
