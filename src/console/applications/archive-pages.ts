import type { FastifyReply, RouteOptions } from 'fastify'
import { applicationsChosen } from '../../collect/progress/service.ts'
import type { Reads } from '../../collect/reads/service.ts'
import type { ApplicationSearch } from '../../collect/search/service.ts'
import type { AnyFileType, StoredFile } from '../../model/application.ts'
import { memberReader, type Reader } from '../../model/application-read.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { safeFileName } from '../../platform/core/file-name.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import { dayIn } from '../../platform/core/time/time-zone.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { Slots } from '../../platform/http/rates/slots.ts'
import { sendZip, type ZipEntry } from '../../platform/http/responses/zip-response.ts'
import { type Call, pathId } from '../../platform/http/routes.ts'
import { memberPage } from '../../platform/web/page-routes.ts'
import { consolePath } from '../navigation-markup.ts'
import { ifFound } from '../refusals.ts'
import { noFilesText, withheldTexts } from './detail-markup.ts'
import type { Download } from './detail-pages.ts'
import { nameOf } from './markup.ts'
import { takeExport, tooManyChosen } from './pages.ts'

interface PageDeps {
  applicationSearch: Pick<ApplicationSearch, 'detail'>
  applications: {
    download(advertiserId: number, applicationId: number, type: AnyFileType): Promise<Download>
  }
  reads: Pick<Reads, 'download'>
  sessions: Sessions
  /** Shared with exports of the list. */
  exports: Slots
  /** Recorded in the audit log before the first byte is sent. */
  onExport(advertiserId: number, what: { form: string; count: number }): Promise<void>
  clock: Clock
}

/** A file of the archive, or the reason for leaving it out. */
type Packed = { path: string; download: Download } | { name: string; reason: string }

/** The files of one or several applications as one archive, except files that cannot be downloaded individually. */
export function archivePages(deps: PageDeps): RouteOptions[] {
  const { applicationSearch, applications, reads, sessions, exports, clock } = deps

  async function packedOf(advertiserId: number, applicationId: number, file: StoredFile): Promise<Packed> {
    let name = safeFileName(file.fileName)
    try {
      const download = await applications.download(advertiserId, applicationId, file.type)
      name = safeFileName(download.file.fileName)
      if (download.file.scan === 'infected') return { name, reason: withheldTexts.infected }
      return { path: safeFileName(`${file.type}-${name}`), download }
    } catch (error) {
      const code = error instanceof Problem ? error.code : undefined
      if (code === 'not-yet-scanned') return { name, reason: withheldTexts.unscanned }
      if (code === 'file-not-judged') return { name, reason: withheldTexts['not-judged'] }
      if (code === 'not-found') return { name, reason: 'This file is no longer available.' }
      throw error
    }
  }

  /** Records the read, then lists the files: until it is recorded, the candidate may replace them or add others. */
  async function filesRead(advertiserId: number, reader: Reader, id: number): Promise<readonly StoredFile[]> {
    await reads.download(advertiserId, reader, id)
    return (await applicationSearch.detail(advertiserId, id)).files
  }

  /** A folder for each application, read one after the other. Skips IDs that the advertiser does not have. */
  async function* entriesOfMany(
    advertiserId: number,
    reader: Reader,
    ids: readonly number[],
  ): AsyncGenerator<ZipEntry> {
    const leftOut: { name: string; reason: string }[] = []
    for (const id of ids) {
      const found = await ifFound(() => applicationSearch.detail(advertiserId, id))
      if (found === undefined) continue
      // A longer name would push out the ID, which distinguishes people with the same name.
      const name = [...safeFileName(nameOf(found))].slice(0, 60).join('')
      const folder = found.erasedAt === null ? `${name} ${id}` : String(id)
      const files = found.files.length === 0 ? [] : await filesRead(advertiserId, reader, id)
      if (files.length === 0) leftOut.push({ name: folder, reason: noFilesText })
      for (const file of files) {
        const packed = await packedOf(advertiserId, id, file)
        if ('reason' in packed) leftOut.push({ ...packed, name: `${folder}/${packed.name}` })
        else yield await entryOf(packed, folder)
      }
    }
    if (leftOut.length > 0) yield leftOutEntry(leftOut, clock())
  }

  return [
    memberPage.fresh.post('/console/:advertiserId/applications/selection/files.zip', async call => {
      const { reply, caller } = call
      const fields = sessions.checkForm(call, `${consolePath(caller.advertiserId, 'applications')}/selection`)
      const chosen = fields.all('chosen').flatMap(value => parseNumericId(value.split(':')[0] ?? '') ?? [])
      const ids = [...new Set(chosen)]
      if (ids.length === 0)
        throw new Problem(
          'bad-request',
          'Select at least one application in the list, then download their files.',
        )
      if (ids.length > applicationsChosen) throw new Problem('bad-request', tooManyChosen)
      takeExport(exports, call)
      await deps.onExport(caller.advertiserId, { form: 'zip', count: ids.length })
      const name = `applications-${dayIn(clock(), caller.timeZone)}.zip`
      return sendZip(reply, name, entriesOfMany(caller.advertiserId, memberReader(caller), ids))
    }),
    memberPage.get(
      '/console/:advertiserId/applications/:applicationId/files.zip',
      async (call: Call<'console', 'applicationId'>): Promise<FastifyReply> => {
        const { request, reply, caller, params } = call
        const { advertiserId } = caller
        const found = await applicationSearch.detail(advertiserId, pathId(params.applicationId))
        const { id, submittedAt } = found
        if (found.files.length === 0) throw new Problem('not-found')
        if (request.method === 'HEAD') {
          return reply.headers({ 'content-type': 'application/zip', 'cache-control': 'no-store' }).send()
        }
        takeExport(exports, call)
        const files = await filesRead(advertiserId, memberReader(caller), id)
        const packed = await Promise.all(files.map(file => packedOf(advertiserId, id, file)))
        return sendZip(reply, `application-${id}.zip`, entriesOf(packed, submittedAt))
      },
    ),
  ]
}

async function* entriesOf(packed: readonly Packed[], at: number): AsyncGenerator<ZipEntry> {
  const leftOut = packed.filter(each => 'reason' in each)
  if (leftOut.length > 0) yield leftOutEntry(leftOut, at)
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

function leftOutEntry(leftOut: readonly { name: string; reason: string }[], at: number): ZipEntry {
  const lines = leftOut.map(({ name, reason }) => `${name}: ${reason}`)
  const text = ['These files are not in this archive:', '', ...lines, ''].join('\r\n')
  return { path: `Files left out.txt`, at, content: chunksOf(text) }
}

async function* chunksOf(text: string): AsyncGenerator<string> {
  yield text
}
