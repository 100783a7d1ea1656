import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { type FormOptions, receiveForm } from './upload.ts'

const refusedType = 'unsupported-media-type'
let app: FastifyInstance
let url: string
/** The files that were received and not discarded. */
const kept = new Set<string>()
let change: Partial<FormOptions<string, string, void>> = {}

before(async () => {
  app = Fastify()
  app.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Problem)) throw error
    return reply.status(400).send({ code: error.code, errors: error.errors })
  })
  app.post('/', async request => {
    const { fields, files } = await receiveForm<string, string, void>(request, {
      fileFields: ['one', 'two'],
      fileBytes: 1000,
      fieldBytes: 100,
      textBytes: 250,
      maxFields: 3,
      checkFields: () => {},
      take: async (field, { name, content }) => {
        let text = ''
        for await (const chunk of content) text += Buffer.from(chunk).toString()
        if (text === 'refused') throw new Problem('invalid-fields')
        kept.add(field)
        return `${name}: ${text.length}`
      },
      discard: async file => {
        kept.delete(file.startsWith('a') ? 'one' : 'two')
      },
      ...change,
    })
    return { fields: fields.names().map(name => [name, ...fields.all(name)]), files: [...files] }
  })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => app.close())

type Part = [field: string, value: string, fileName?: string]

async function send(parts: Part[], options: Partial<FormOptions<string, string, void>> = {}) {
  change = options
  kept.clear()
  const form = new FormData()
  for (const [field, value, fileName] of parts) {
    if (fileName === undefined) form.append(field, value)
    else form.append(field, new Blob([value]), fileName)
  }
  const answer = await fetch(url, { method: 'POST', body: form })
  return { status: answer.status, body: await answer.json() }
}

test('fields and files arrive as they were sent, and a file input without a choice counts as none', async () => {
  const { body } = await send([
    ['a', '1'],
    ['a', 'zwölf\r\n'],
    ['one', 'x'.repeat(1000), 'a.txt'],
    ['two', '', ''],
    ['b', ''],
  ])
  assert.deepEqual(body, {
    fields: [
      ['a', '1', 'zwölf\r\n'],
      ['b', ''],
    ],
    files: [['one', 'a.txt: 1000']],
  })
})

test('fields known before the first file are checked before the file is received', async () => {
  const seen: unknown[] = []
  const refuse = (fields: { names(): string[] }) => {
    seen.push(fields.names())
    throw new Problem('form-expired')
  }
  const { body } = await send(
    [
      ['a', '1'],
      ['one', 'x', 'a.txt'],
      ['b', '2'],
    ],
    { checkFields: refuse },
  )
  assert.equal((body as { code: string }).code, 'form-expired')
  assert.deepEqual(seen, [['a']])
  assert.deepEqual([...kept], [])

  seen.length = 0
  await send([['a', '1']], { checkFields: refuse })
  assert.deepEqual(seen, [['a']])
})

const wrong: [what: string, parts: Part[], code: string, field?: string][] = [
  ['a file of one byte too many', [['one', 'x'.repeat(1001), 'a']], 'payload-too-large', 'one'],
  ['a field of one byte too many', [['a', 'x'.repeat(101)]], 'payload-too-large', 'a'],
  [
    'more text than all may have',
    [...'abc'].map((name): Part => [name, 'x'.repeat(100)]),
    'payload-too-large',
    'c',
  ],
  ['a file without a field', [['three', 'x', 'a']], 'invalid-fields', 'three'],
  [
    'two files in one field',
    [
      ['one', 'x', 'a'],
      ['one', 'y', 'a'],
    ],
    'invalid-fields',
    'one',
  ],
  ['too many fields', ['a', 'b', 'c', 'd'].map((name): Part => [name, '']), 'invalid-fields'],
  ['too many files', ['one', 'two', 'x', 'y'].map((name): Part => [name, 'x', 'a']), 'invalid-fields'],
]

for (const [what, parts, code, field] of wrong) {
  test(`${what}: reported, and files received before it are discarded`, async () => {
    const { status, body } = await send([
      ['two', 'before', 'b.txt'],
      ...parts.filter(([name]) => name !== 'two'),
    ])
    const told = body as { code: string; errors: { field: string }[] }
    assert.deepEqual([status, told.code], [400, code])
    if (field !== undefined) assert.equal(told.errors[0]?.field, field)
    assert.deepEqual([...kept], [])
  })
}

test('a file over its limit is refused when the limit is passed, although the rest has not come', async () => {
  change = {}
  const socket = connect({ port: Number(new URL(url).port) })
  const head = '--b\r\nContent-Disposition: form-data; name="one"; filename="a.txt"\r\n\r\n'
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n')
  socket.write(`Content-Length: 100000\r\n\r\n${head}${'x'.repeat(2000)}`)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  assert.match(String(answer), /^HTTP\/1\.1 400 .*payload-too-large/s)
})

test('a rejected file discards the others too', async () => {
  const { status } = await send([
    ['one', 'fine', 'a.txt'],
    ['two', 'refused', 'b.txt'],
  ])
  assert.equal(status, 400)
  assert.deepEqual([...kept], [])
})

test('a text may be sent as a file where the form allows it, and only there', async () => {
  const sent: Part[] = [['a', '{"x": 1}', 'a.json']]
  const { body } = await send(sent, { textFields: ['a'] })
  assert.deepEqual(body, { fields: [['a', '{"x": 1}']], files: [] })
  assert.equal((await send(sent)).status, 400)
  assert.equal((await send([['a', 'x'.repeat(101), 'a.json']], { textFields: ['a'] })).status, 400)
})

const partOf = (head: string) => `--b\r\n${head}\r\n\r\nlost\r\n--b--\r\n`
const lostParts = {
  'without a name': partOf('Content-Disposition: form-data'),
  'without a name, as a file': partOf('Content-Disposition: form-data; filename="a.txt"'),
  'without a Content-Disposition': partOf('Content-Type: text/plain'),
  'with a line break in its file name': partOf('Content-Disposition: form-data; name="one"; filename="a\nb"'),
  'without the blank line behind its header': '--b\r\nContent-Disposition: form-data; name="a"\r\n--b--\r\n',
  'with more headers than are read': partOf(
    `${'X: y\r\n'.repeat(200)}Content-Disposition: form-data; name="one"; filename="a"`,
  ),
}
for (const [what, body] of Object.entries(lostParts)) {
  test(`a part ${what} is rejected, and never treated as empty`, async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const answer = await fetch(url, { method: 'POST', headers, body })
    assert.equal(answer.status, 400, await answer.text())
  })
}

test('every form gets a response, however it is damaged, and a rejected form leaves no file', async () => {
  change = {}
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const part = (parameters: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; ${parameters}\r\nContent-Type: text/plain\r\n\r\n${value}\r\n`
  const form = `${part('name="a"', '1')}${part('name="one"; filename="a.txt"', 'x')}${part('name="two"; filename="b.txt"', 'y')}--b--\r\n`
  const added = fc.constantFrom('', '\r\n', '\r\n\r\n', '--b', '\r\n--b--', '"', ';', '\0', 'x'.repeat(1500))
  await fc.assert(
    fc.asyncProperty(fc.nat(form.length), fc.nat(form.length), added, async (from, removed, add) => {
      kept.clear()
      const body = form.slice(0, from) + add + form.slice(from + removed)
      const answer = await fetch(url, { method: 'POST', headers, body })
      await answer.text()
      assert.ok([200, 400].includes(answer.status))
      if (answer.status === 400) assert.deepEqual([...kept], [])
    }),
    { numRuns: 300 },
  )
})

test('a text is read in the charset that its part declares', async () => {
  const post = (type: string, value: Buffer, name = '') => {
    const head = `--b\r\nContent-Disposition: form-data; name="one"${name}\r\nContent-Type: ${type}\r\n\r\n`
    const body = Buffer.concat([Buffer.from(head), value, Buffer.from('\r\n--b--\r\n')])
    return fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary="b"' },
      body,
    })
  }
  for (const [charset, bytes] of [
    ['iso-8859-1', Buffer.from('Zoë', 'latin1')],
    ['"UTF-8"', Buffer.from('Zoë')],
    ['utf-16le', Buffer.from('Zoë', 'utf16le')],
  ] as const) {
    const answer = await post(`text/plain; charset=${charset}`, bytes)
    assert.deepEqual(await answer.json(), { fields: [['one', 'Zoë']], files: [] }, charset)
  }
  const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code
  assert.equal(await codeOf(await post('text/plain', Buffer.from('Zoë', 'latin1'))), 'bad-request')
  assert.equal(await codeOf(await post('text/plain; charset=x-none', Buffer.from('Zoë'))), refusedType)
  // A file keeps its bytes, so a text in a charset that its readers do not expect is refused.
  const name = '; filename="a.txt"'
  for (const type of ['text/plain; charset=us-ascii', 'application/pdf; charset=binary']) {
    assert.equal((await post(type, Buffer.from('Zoe'), name)).status, 200, type)
  }
  assert.equal(await codeOf(await post('text/plain; charset=koi8-r', Buffer.from('Zoe'), name)), refusedType)
})

test('a caller who disconnects before the form is read is noticed', async () => {
  const outcome = Promise.withResolvers<unknown>()
  const late = Fastify()
  late.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
  late.post('/', async request => {
    // The stream ends with an error too, which its reader handles.
    request.raw.on('error', () => {})
    await new Promise(resolve => request.raw.on('close', resolve))
    const options = {
      fileFields: [],
      fileBytes: 1,
      fieldBytes: 1,
      textBytes: 1,
      maxFields: 1,
      checkFields: () => {},
    }
    const rest = { take: async () => '', discard: async () => {} }
    outcome.resolve(await receiveForm(request, { ...options, ...rest }).catch(error => error.code))
  })
  await late.listen({ port: 0, host: '127.0.0.1' })
  const { port } = late.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const head =
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9\r\n'
  socket.write(`${head}\r\n--b`, () => socket.resetAndDestroy())
  assert.equal(await outcome.promise, 'bad-request')
  await late.close()
})

test('a body that is not a form, or breaks off, is rejected, and no file is kept', async () => {
  const post = (body: string, type: string) =>
    fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
  assert.equal((await post('x', 'multipart/form-data')).status, 400)
  kept.clear()
  const unnamed = '--b\r\nContent-Disposition: form-data; name="one"; filename=""\r\n\r\nlost\r\n--b--\r\n'
  assert.equal((await post(unnamed, 'multipart/form-data; boundary=b')).status, 400)
  const half = '--b\r\nContent-Disposition: form-data; name="one"; filename="a.txt"\r\n\r\nhalf'
  assert.equal((await post(half, 'multipart/form-data; boundary=b')).status, 400)
  assert.deepEqual([...kept], [])
})
