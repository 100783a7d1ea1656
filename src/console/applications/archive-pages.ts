import type { FastifyReply, RouteOptions } from 'fastify'
import type { Reads } from '../../collect/reads/service.ts'
import type { ApplicationFinding } from '../../collect/search/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { safeFileName } from '../../core/file-name.ts'
import { parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { dayIn } from '../../core/time/time-zone.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { Slots } from '../../http/rates/slots.ts'
import { sendZip, type ZipEntry } from '../../http/responses/zip-response.ts'
import { type Call, pathId } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { FileType, StoredFile } from '../../model/application.ts'
import { memberReader, type Reader } from '../../model/application-read.ts'
import { memberPage } from '../../web/page-routes.ts'
import { consolePath } from '../navigation-markup.ts'
import { ifFound } from '../refusals.ts'
import type { Download } from './detail-pages.ts'
import { applicationDetailTexts as texts } from './detail-texts.ts'
import { listTexts } from './list-texts.ts'
import { nameOf } from './markup.ts'
import { applicationsTexts } from './texts.ts'

interface PageDeps {
  finding: Pick<ApplicationFinding, 'detail'>
  applications: {
    download(advertiserId: number, applicationId: number, type: FileType): Promise<Download>
  }
  reads: Pick<Reads, 'download'>
  sessions: Sessions
  /** Shared with the exports of the list. */
  exports: Slots
  /** Puts it on record before the first byte. */
  onExport(advertiserId: number, what: { form: string; count: number }): Promise<void>
  clock: Clock
  limits: Pick<Limits, 'retryAfterSeconds' | 'applicationsChosen'>
}

/** A file of the archive, or why it is not in it. */
type Packed = { path: string; download: Download } | { name: string; reason: string }

/** The files of one or several applications as one archive, without those that can not be downloaded one by one. */
export function archivePages(deps: PageDeps): RouteOptions[] {
  const { finding, applications, reads, sessions, exports, clock, limits } = deps

  async function packedOf(advertiserId: number, applicationId: number, file: StoredFile): Promise<Packed> {
    const name = safeFileName(file.fileName)
    try {
      const download = await applications.download(advertiserId, applicationId, file.type)
      if (download.file.scan === 'infected') return { name, reason: texts.infected }
      return { path: safeFileName(`${file.type}-${name}`), download }
    } catch (error) {
      const code = error instanceof Problem ? error.code : undefined
      if (code === 'not-yet-scanned') return { name, reason: texts.held }
      if (code === 'file-not-judged') return { name, reason: texts.notJudged }
      if (code === 'not-found') return { name, reason: texts.notThere }
      throw error
    }
  }

  /** Throws if the session has other exports running. */
  function takeSlot(reply: FastifyReply, sessionId: string): void {
    const slot = exports.take(sessionId)
    if (slot === undefined) {
      const { retryAfterSeconds } = limits
      throw new Problem('too-many-streams', applicationsTexts.tooManyExports, { retryAfterSeconds })
    }
    reply.raw.once('close', slot.release)
    // If the client disconnected during authentication, `close` has already fired and will not fire again.
    if (reply.raw.destroyed) slot.release()
  }

  /** A folder for each application, read one after the other. Those that the advertiser does not have are skipped. */
  async function* entriesOfMany(
    advertiserId: number,
    reader: Reader,
    ids: readonly number[],
  ): AsyncGenerator<ZipEntry> {
    const leftOut: { name: string; reason: string }[] = []
    for (const id of ids) {
      const found = await ifFound(() => finding.detail(advertiserId, id))
      if (found === undefined) continue
      // A longer name would push the ID out, which tells apart those who have the same.
      const name = [...safeFileName(nameOf(found))].slice(0, 60).join('')
      const folder = found.erasedAt === null ? `${name} ${id}` : String(id)
      if (found.files.length > 0) await reads.download(advertiserId, reader, id)
      if (found.files.length === 0) leftOut.push({ name: folder, reason: texts.noFiles })
      for (const file of found.files) {
        const packed = await packedOf(advertiserId, id, file)
        if ('reason' in packed) leftOut.push({ ...packed, name: `${folder}/${packed.name}` })
        else yield await entryOf(packed, folder)
      }
    }
    if (leftOut.length > 0)
      yield { path: texts.leftOutName, at: clock(), content: textOf(texts.leftOut(leftOut)) }
  }

  return [
    memberPage.fresh.post('/console/:advertiserId/applications/selection/files.zip', async call => {
      const { reply, caller } = call
      const listPath = consolePath(caller.advertiserId, 'applications')
      const fields = sessions.checkForm(call, listPath)
      const chosen = fields.all('chosen').flatMap(value => parseNumericId(value.split(':')[0] ?? '') ?? [])
      const ids = [...new Set(chosen)]
      if (ids.length === 0) throw new Problem('bad-request', listTexts.noneToPack)
      if (ids.length > limits.applicationsChosen)
        throw new Problem('bad-request', listTexts.tooMany(limits.applicationsChosen))
      takeSlot(reply, caller.sessionId)
      await deps.onExport(caller.advertiserId, { form: 'zip', count: ids.length })
      const name = listTexts.archiveName(dayIn(clock(), caller.timeZone))
      return sendZip(reply, name, entriesOfMany(caller.advertiserId, memberReader(caller), ids))
    }),
    memberPage.get(
      '/console/:advertiserId/applications/:applicationId/files.zip',
      async ({ request, reply, caller, params }: Call<'console', 'applicationId'>): Promise<FastifyReply> => {
        const { advertiserId, sessionId } = caller
        const { id, files, submittedAt } = await finding.detail(advertiserId, pathId(params.applicationId))
        if (files.length === 0) throw new Problem('not-found')
        if (request.method === 'HEAD') {
          return reply.headers({ 'content-type': 'application/zip', 'cache-control': 'no-store' }).send()
        }
        takeSlot(reply, sessionId)
        await reads.download(advertiserId, memberReader(caller), id)
        const packed = await Promise.all(files.map(file => packedOf(advertiserId, id, file)))
        return sendZip(reply, texts.archiveName(id), entriesOf(packed, submittedAt))
      },
    ),
  ]
}

async function* entriesOf(packed: readonly Packed[], at: number): AsyncGenerator<ZipEntry> {
  const leftOut = packed.filter(each => 'reason' in each)
  if (leftOut.length > 0) yield { path: texts.leftOutName, at, content: textOf(texts.leftOut(leftOut)) }
  for (const each of packed) {
    if (!('reason' in each)) yield await entryOf(each)
  }
}

async function entryOf(
  { path, download: { file, open } }: { path: string; download: Download },
  folder?: string,
): Promise<ZipEntry> {
  const at = folder === undefined ? path : `${folder}/${path}`
  return { path: at, at: file.uploadedAt, content: await open(), size: file.size }
}

async function* textOf(text: string): AsyncGenerator<string> {
  yield text
}
