import type { FastifyReply, RouteOptions } from 'fastify'
import type { Reads } from '../../collect/reads/service.ts'
import type { ApplicationFinding } from '../../collect/search/ports.ts'
import { safeFileName } from '../../core/file-name.ts'
import { Problem } from '../../core/problems.ts'
import type { Slots } from '../../http/rates/slots.ts'
import { sendZip, type ZipEntry } from '../../http/responses/zip-response.ts'
import { type Call, pathId } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { FileType, StoredFile } from '../../model/application.ts'
import { memberReader } from '../../model/application-read.ts'
import { memberPage } from '../../web/page-routes.ts'
import type { Download } from './detail-pages.ts'
import { applicationDetailTexts as texts } from './detail-texts.ts'
import { applicationsTexts } from './texts.ts'

interface PageDeps {
  finding: Pick<ApplicationFinding, 'detail'>
  applications: {
    download(advertiserId: number, applicationId: number, type: FileType): Promise<Download>
  }
  reads: Pick<Reads, 'download'>
  /** Shared with the exports of the list. */
  exports: Slots
  limits: Pick<Limits, 'retryAfterSeconds'>
}

/** A file of the archive, or why it is not in it. */
type Packed = { path: string; download: Download } | { name: string; reason: string }

/** The files of an application as one archive, without those that can not be downloaded one by one. */
export function archivePages({ finding, applications, reads, exports, limits }: PageDeps): RouteOptions[] {
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

  return [
    memberPage.file(
      '/console/:advertiserId/applications/:applicationId/files.zip',
      async ({ request, reply, caller, params }: Call<'console', 'applicationId'>): Promise<FastifyReply> => {
        const { advertiserId, sessionId } = caller
        const { id, files, submittedAt } = await finding.detail(advertiserId, pathId(params.applicationId))
        if (files.length === 0) throw new Problem('not-found')
        if (request.method === 'HEAD') {
          return reply.headers({ 'content-type': 'application/zip', 'cache-control': 'no-store' }).send()
        }
        const slot = exports.take(sessionId)
        if (slot === undefined) {
          const { retryAfterSeconds } = limits
          throw new Problem('too-many-streams', applicationsTexts.tooManyExports, { retryAfterSeconds })
        }
        reply.raw.once('close', slot.release)
        // If the client disconnected during authentication, `close` has already fired and will not fire again.
        if (reply.raw.destroyed) slot.release()
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
    if ('reason' in each) continue
    const { file, open } = each.download
    yield { path: each.path, at: file.uploadedAt, content: await open(), size: file.size }
  }
}

async function* textOf(text: string): AsyncGenerator<string> {
  yield text
}
