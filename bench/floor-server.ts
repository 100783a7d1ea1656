// The floor of the service: a bare Fastify that has nothing to look up. It runs in its own process, so that it has its own
// core, too. Arguments: the file of a JSON page, of an XML page, an attachment.
import { createReadStream, readFileSync } from 'node:fs'
import Fastify from 'fastify'

const [jsonFile = '', xmlFile = '', attachmentFile = ''] = process.argv.slice(2)
const app = Fastify()

/** Buffers are the cheapest that Fastify can send: this is the lowest possible floor. */
const pages = {
  '/json': { type: 'application/json; charset=utf-8', bytes: readFileSync(jsonFile) },
  '/xml': { type: 'application/xml; charset=utf-8', bytes: readFileSync(xmlFile) },
}
for (const [url, { type, bytes }] of Object.entries(pages)) {
  app.get(url, (_request, reply) => reply.header('content-type', type).send(bytes))
}
app.get('/attachment', (_request, reply) =>
  reply.header('content-type', 'application/pdf').send(createReadStream(attachmentFile)),
)
/** The response when nothing is new. */
app.get('/empty', (_request, reply) => reply.code(304).send())

await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as { port: number }
console.log(JSON.stringify({ msg: 'listening', port }))
