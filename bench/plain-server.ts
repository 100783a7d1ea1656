// The plain way to serve a page of applications, in its own process: look up the credential, the rows of the page and their
// dependent rows, make objects, call JSON.stringify. Decent code over the same tables, with prepared statements, and byte by
// byte the response of the service; but no log, no rate limit, no metrics. Argument: the location of the database, as JSON.
import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import { type ApplicationRow, type FileRow, openPlainRows, type ScreenRow } from './plain-rows.ts'
import type { Place } from './row-writer.ts'

const rows = await openPlainRows(JSON.parse(process.argv[2] ?? '') as Place)
const app = Fastify()

const attachmentOrder = ['resume', 'coverLetter', 'selectionCriteria']
const hasVirus = { unscanned: null, 'not-judged': null, clean: false, infected: true }
const msDate = (ms: number) => `/Date(${ms}+1000)/`

interface Query {
  afterid?: string
  limit?: string
}

app.get<{ Querystring: Query }>('/page', async (request, reply) => {
  const secret = /^SWS (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const hash = createHash('sha256').update(secret).digest('hex')
  const advertiserId = await rows.advertiserOf(hash, Date.now())
  if (advertiserId === undefined) return reply.code(401).send()
  const afterId = Number(request.query.afterid ?? 0)
  const limit = Number(request.query.limit ?? 100)
  const applications = await rows.applications(advertiserId, afterId, limit)
  const ids = applications.map(({ id }) => id)
  const [files, screens] = await Promise.all([rows.files(advertiserId, ids), rows.screens(advertiserId, ids)])
  const filesOf = Map.groupBy(files, ({ application_id }) => application_id)
  const screenOf = new Map(screens.map(screen => [screen.application_id, screen]))
  const body = JSON.stringify({
    JobApplications: {
      AdvertiserID: advertiserId,
      AfterDate: null,
      AfterID: request.query.afterid ?? null,
      BeforeDate: null,
      BeforeID: null,
      AgentID: null,
      JobApplicationsList: applications.map(application =>
        shown(application, filesOf.get(application.id) ?? [], screenOf.get(application.id)),
      ),
    },
  })
  return reply.header('content-type', 'application/json; charset=utf-8').send(body)
})

function shown(application: ApplicationRow, files: FileRow[], screen: ScreenRow | undefined) {
  const href = (type: string) => `advertiser/applications/${type.toLowerCase()}/${application.id}`
  const attachments = files
    .sort((a, b) => attachmentOrder.indexOf(a.type) - attachmentOrder.indexOf(b.type))
    .map(file => ({
      DateUploaded: msDate(file.uploaded_at),
      HasVirus: hasVirus[file.scan],
      Hash: file.sha256,
      Href: href(file.type),
      Size: file.size,
      Type: file.type,
    }))
  if (screen !== undefined) {
    attachments.push({
      DateUploaded: msDate(application.submitted_at),
      HasVirus: false,
      Hash: screen.sha256,
      Href: href('screen'),
      Size: screen.size,
      Type: 'screen',
    })
  }
  return {
    ID: application.id,
    DateSubmitted: msDate(application.submitted_at),
    Email: application.email,
    FirstName: application.first_name,
    LastName: application.last_name,
    Phone: application.phone,
    JobSeekerID: application.job_seeker_id,
    JobReference: application.job_reference ?? undefined,
    Attachments: attachments,
  }
}

await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as { port: number }
console.log(JSON.stringify({ msg: 'listening', port }))
