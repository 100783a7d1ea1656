// What many people write for a form with a file: Fastify and @fastify/multipart, as its documentation shows it. The file goes
// to disk, under a name of its own, and the fields are read. No sync, no database, no check of the file, no authentication.
// Arguments: the folder in which it is installed, and the folder of the files.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Fastify from 'fastify'

const [, , installed = '', folder = ''] = process.argv

/** It is installed on demand, so its types are not known here. */
declare module 'fastify' {
  interface FastifyRequest {
    parts(): AsyncIterable<
      { fieldname: string } & ({ type: 'file'; file: Readable } | { type: 'field'; value: unknown })
    >
  }
}

const app = Fastify()
await app.register(createRequire(join(installed, 'package.json'))('@fastify/multipart'), {
  limits: { fileSize: 10 * 1024 * 1024 },
})

app.post('/v1/intake/applications', async (request, reply) => {
  const fields: Record<string, unknown> = {}
  for await (const part of request.parts()) {
    if (part.type === 'file') await pipeline(part.file, createWriteStream(join(folder, randomUUID())))
    else fields[part.fieldname] = part.value
  }
  return reply.code(201).send({ id: randomUUID(), fields: Object.keys(fields) })
})

await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as { port: number }
console.log(JSON.stringify({ msg: 'listening', port }))
