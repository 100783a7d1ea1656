import type { ApplicationDraft } from '../../model/application.ts'
import type { FileReceiver } from '../../platform/blobs/receiving-service.ts'
import { cleanUpWindowSeconds } from '../../platform/blobs/upload-age.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { ArchiveCheck } from '../../platform/documents/file-kinds.ts'
import { inSentNames } from '../application-json.ts'
import { type NewApplication, prepareApplication } from '../new-application.ts'
import { createAttachments } from './attachments-service.ts'
import type { ImportFiles, ImportSource } from './import-file-adapter.ts'
import type { BatchEntry, ImportStore } from './import-store.ts'
import { placeOfLine, readLine, reasonOfProblem } from './line.ts'
import { type IndexedLine, LineIndex, type LineRange } from './line-index.ts'
import { importLineBytes } from './line-splitter.ts'
import { type AdvertiserObjection, objectionTo, type Refusal, refuseForAdvertiser } from './refusals.ts'

/**
 * Limit: Lines of an import stored in one transaction: they share one wait for the disk, and candidates who apply
 * meanwhile do not wait long.
 */
const importBatch = 500
/** Limit: Lines of an import whose files are read in parallel. */
const importFilesAtOnce = 4

const bounds = { importBatch, importFilesAtOnce }

interface ImportDeps {
  store: ImportStore
  importFiles: ImportFiles
  files: FileReceiver
  checkArchive: ArchiveCheck
  clock: Clock
  limits: { fileBytes: number } & Partial<typeof bounds>
}

export interface ImportProgress {
  /** `reading` counts bytes of the file; `importing` counts lines. */
  phase: 'reading' | 'importing'
  done: number
  total: number
}

export interface ImportRequest {
  path: string
  /** Where the attached files are; defaults to the folder of the imported file. */
  filesFolder?: string | undefined
  /** Writes nothing, and reports every line that would be rejected. */
  isCheck?: boolean | undefined
  /** Where to write the rejected lines, if there are any. */
  refusedPath?: string | undefined
  /** Checked between lines and between files. On abort, files received for a batch that is not stored yet are discarded. */
  stop?: AbortSignal | undefined
  onRefused?(refusal: Refusal): void
  onProgress?(progress: ImportProgress): void
}

export interface ImportSummary {
  /** `overtaken`: another run of the same file has processed the next lines. */
  outcome: 'finished' | 'finished-before' | 'stopped' | 'overtaken'
  lines: number
  /** Lines processed, including earlier runs; the same holds for the counts below. */
  linesDone: number
  /** In a check: the remaining lines that can be imported. */
  imported: number
  refused: number
}

/** Which advertisers in the file can receive applications. */
interface AdvertiserStates {
  /** Advertisers whose lines are all rejected, because half a history would be worse than none. */
  objections: Map<number, AdvertiserObjection>
  /** Advertisers that have already received applications from this file. */
  begun: Set<number>
}

export type Imports = ReturnType<typeof createImports>

/** Imports the history of a job board from a file: in date order, each line exactly once. */
export function createImports(deps: ImportDeps) {
  const { store, importFiles, clock } = deps
  const limits = { ...bounds, ...deps.limits }
  const attachments = createAttachments(deps)

  async function run(request: ImportRequest): Promise<ImportSummary> {
    const { path, filesFolder, refusedPath } = request
    if (refusedPath !== undefined && (await importFiles.exists(refusedPath))) {
      throw new Problem(
        'bad-request',
        `${refusedPath} already exists. Choose another file for the rejected lines.`,
      )
    }
    const source = await importFiles.open(path, filesFolder)
    try {
      return await importFrom(source, request)
    } finally {
      await source.close()
    }
  }

  async function importFrom(source: ImportSource, request: ImportRequest): Promise<ImportSummary> {
    const { isCheck = false, refusedPath, stop } = request
    const index = new LineIndex()
    const isRead = await readInto(index, source, request)
    if (!isRead) return { outcome: 'stopped', lines: 0, linesDone: 0, imported: 0, refused: 0 }
    const fileHash = source.sha256()
    const lines = index.count
    const before = await store.find(fileHash)
    const isDone = before !== undefined && before.finishedAt !== null
    const summary: ImportSummary = {
      outcome: isDone ? 'finished-before' : 'finished',
      lines,
      linesDone: before?.linesDone ?? 0,
      imported: isCheck && !isDone ? 0 : (before?.imported ?? 0),
      refused: before?.refused ?? 0,
    }
    const order = index.inDateOrder()
    const refusedInCheck: number[] = []
    if (!isDone) {
      if (!isCheck && before === undefined) await store.begin(fileHash, clock())
      const states = await readAdvertiserStates(fileHash, index, order, summary.linesDone)
      while (summary.linesDone < lines && summary.outcome === 'finished') {
        showProgress(0)
        if (stop?.aborted) summary.outcome = 'stopped'
        else await nextBatch(states)
      }
      // A file without lines has no last batch to mark it as finished.
      if (lines === 0 && !isCheck) {
        const nothing = { entries: [], refusals: [], begun: states.begun, filesKeptUntil: Infinity }
        await store.addBatch(fileHash, { from: 0, to: 0, isLast: true, ...nothing }, clock)
      }
      showProgress(0)
    }
    if (refusedPath !== undefined && summary.refused > 0 && summary.outcome.startsWith('finished')) {
      const refused = [...(await refusedLines(fileHash)), ...refusedInCheck]
      await source.copyTo(refusedPath, rangesOf(index, refused))
    }
    return summary

    function showProgress(prepared: number): void {
      request.onProgress?.({ phase: 'importing', done: summary.linesDone + prepared, total: lines })
    }

    async function nextBatch({ objections, begun }: AdvertiserStates): Promise<void> {
      if (!source.isUnchanged()) {
        throw new Problem('bad-request', 'The file was changed during the import. Start again.')
      }
      const to = Math.min(lines, summary.linesDone + limits.importBatch)
      const chosen = Array.from(order.subarray(summary.linesDone, to), at => index.at(at))
      // Half the window; the rest leaves time for the commit and for clock differences.
      const filesKeptUntil = clock() + (cleanUpWindowSeconds * 1_000) / 2
      const prepared = await prepareBatch(source, chosen, objections, request, showProgress)
      if (prepared === 'stopped') {
        summary.outcome = 'stopped'
        return
      }
      const { entries, refusals } = prepared
      const batch = { from: summary.linesDone, to, isLast: to === lines, entries, refusals }
      // If this throws, the outcome is unknown: keep the files, and let the clean-up remove those without a row.
      const late = isCheck ? [] : await store.addBatch(fileHash, { ...batch, begun, filesKeptUntil }, clock)
      if (typeof late === 'string') {
        // Nothing was written. If overtaken, the other run has received the files itself; if too late, for example
        // after the machine was suspended, the next attempt receives them again.
        await discardFiles(entries)
        if (late === 'overtaken') summary.outcome = late
        return
      }
      for (const refusal of [...refusals, ...late].toSorted((one, other) => one.line - other.line)) {
        if (isCheck) refusedInCheck.push(refusal.line)
        request.onRefused?.(refusal)
      }
      const lateLines = new Set(late.map(({ line }) => line))
      const lateEntries = entries.filter(({ line }) => lateLines.has(line))
      for (const { code, line } of late) {
        if (code !== 'line') objections.set(index.ofLine(line).advertiserId, code)
      }
      for (const { line, advertiserId } of entries) if (!lateLines.has(line)) begun.add(advertiserId)
      await discardFiles(lateEntries)
      summary.linesDone = to
      summary.imported += entries.length - late.length
      summary.refused += refusals.length + late.length
    }
  }

  /** First of two passes: indexes the position and date of each line. Returns false if stopped. */
  async function readInto(
    index: LineIndex,
    source: ImportSource,
    { stop, onProgress }: ImportRequest,
  ): Promise<boolean> {
    let done = 0
    for await (const lines of source.lines()) {
      if (stop?.aborted) return false
      for (const line of lines) {
        index.add(line, line.content === undefined ? undefined : placeOfLine(line.content))
        done = line.offset + line.length
      }
      onProgress?.({ phase: 'reading', done, total: source.size })
    }
    return true
  }

  async function readAdvertiserStates(
    fileHash: string,
    index: LineIndex,
    order: Uint32Array,
    linesDone: number,
  ): Promise<AdvertiserStates> {
    const taken = new Map<number, number>()
    const count = (id: number, lines: number) => taken.set(id, (taken.get(id) ?? 0) + lines)
    for (const at of order.subarray(0, linesDone)) count(index.at(at).advertiserId, 1)
    const objections = new Map<number, AdvertiserObjection>()
    for await (const { line, code } of refusalsOf(fileHash)) {
      const { advertiserId } = index.ofLine(line)
      count(advertiserId, -1)
      if (code !== 'line') objections.set(advertiserId, code)
    }
    const begun = new Set([...taken].filter(([, lines]) => lines > 0).map(([id]) => id))
    const firstDates = new Map<number, number>()
    for (const at of order.subarray(linesDone)) {
      const { advertiserId, at: date } = index.at(at)
      if (date >= 0 && !firstDates.has(advertiserId)) firstDates.set(advertiserId, date)
    }
    const advertiserIds = [...firstDates.keys()]
    for (let start = 0; start < advertiserIds.length; start += limits.importBatch) {
      const some = advertiserIds.slice(start, start + limits.importBatch)
      const newest = await store.newestApplications(some)
      for (const id of some) {
        const objection = objectionTo(newest.get(id), firstDates.get(id) ?? 0, begun.has(id))
        if (objection !== undefined && !objections.has(id)) objections.set(id, objection)
      }
    }
    return { objections, begun }
  }

  async function* refusalsOf(fileHash: string): AsyncGenerator<Refusal> {
    for (let afterLine = 0; ; ) {
      const refusals = await store.refusals(fileHash, afterLine, limits.importBatch)
      yield* refusals
      const last = refusals.at(-1)
      if (last === undefined) return
      afterLine = last.line
    }
  }

  async function refusedLines(fileHash: string): Promise<number[]> {
    const lines: number[] = []
    for await (const { line } of refusalsOf(fileHash)) lines.push(line)
    return lines
  }

  async function prepareBatch(
    source: ImportSource,
    lines: readonly IndexedLine[],
    objections: AdvertiserStates['objections'],
    request: ImportRequest,
    onPrepared: (lines: number) => void,
  ): Promise<{ entries: BatchEntry[]; refusals: Refusal[] } | 'stopped'> {
    const { stop } = request
    let prepared = 0
    const results = new Array<BatchEntry | Refusal>(lines.length)
    const failures: unknown[] = []
    const rest = lines.entries()
    // Each worker takes the next line until none is left or a worker has failed.
    async function prepareSome(): Promise<void> {
      for (const [place, line] of rest) {
        try {
          stop?.throwIfAborted()
          results[place] = await prepareLine(source, line, objections.get(line.advertiserId), request)
          prepared += 1
          onPrepared(prepared)
        } catch (error) {
          failures.push(error)
        }
        if (failures.length > 0) return
      }
    }
    await Promise.all(Array.from({ length: limits.importFilesAtOnce }, prepareSome))
    const entries = results.filter(result => 'application' in result)
    if (failures.length > 0) {
      await discardFiles(entries)
      if (stop?.aborted && failures[0] === stop.reason) return 'stopped'
      throw failures[0]
    }
    return { entries, refusals: results.filter(result => 'code' in result) }
  }

  async function prepareLine(
    source: ImportSource,
    indexed: IndexedLine,
    objection: AdvertiserObjection | undefined,
    { isCheck, stop }: ImportRequest,
  ): Promise<BatchEntry | Refusal> {
    const { line, advertiserId, length } = indexed
    if (objection !== undefined) return refuseForAdvertiser(line, advertiserId, objection)
    if (length > importLineBytes) {
      return { line, code: 'line', reason: `The line is longer than ${importLineBytes} bytes.` }
    }
    try {
      const { submittedAt, application, files: named } = readLine(source.read(indexed), clock())
      // Check without the files first, so that files of a rejected line are not stored and scanned.
      const prepared = prepare({ ...application, files: [] })
      const entry = { line, advertiserId, submittedAt, application: prepared }
      if (named.length === 0) return entry
      if (isCheck) {
        await attachments.check(source, named)
        return entry
      }
      const files = await attachments.receive(source, named, stop)
      return { ...entry, application: prepare({ ...application, files }) }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid-fields') throw error
      return { line, code: 'line', reason: reasonOfProblem(error) }
    }
  }

  function prepare(draft: ApplicationDraft): NewApplication {
    try {
      return prepareApplication(draft)
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'invalid-fields')) throw error
      throw new Problem('invalid-fields', error.detail, { errors: error.errors.map(inSentNames) })
    }
  }

  async function discardFiles(entries: readonly BatchEntry[]): Promise<void> {
    for (const { application } of entries) await attachments.discard(application.files)
  }

  return { run }
}

/** Returns the lines in file order, which is the order the operator knows. */
function* rangesOf(index: LineIndex, lines: readonly number[]): Generator<LineRange> {
  for (const line of lines.toSorted((one, other) => one - other)) yield index.ofLine(line)
}
