import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { times } from '../../../../test/harness/effort.ts'
import { Problem } from '../../core/problems.ts'
import { readParts } from './multipart.ts'

const type = 'multipart/form-data; boundary=b'

interface Read {
  field: string
  fileName: string | undefined
  content: Buffer
}

/** Reads bytes that arrive in pieces of these sizes, repeatedly. */
async function read(body: Buffer, sizes: readonly number[] = [body.length || 1]): Promise<Read[]> {
  async function* pieces() {
    for (let at = 0, turn = 0; at < body.length; turn++) {
      const size = sizes[turn % sizes.length] as number
      yield body.subarray(at, at + size)
      at += size
    }
  }
  const parts: Read[] = []
  for await (const { field, fileName, content } of readParts(pieces(), type)) {
    const chunks: Buffer[] = []
    for await (const chunk of content) chunks.push(chunk)
    parts.push({ field, fileName, content: Buffer.concat(chunks) })
  }
  return parts
}

/** A body of this one part. */
const bodyOf = (headers: string, content: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`--b\r\n${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n--b--\r\n'),
  ])
const disposition = 'Content-Disposition: form-data; name="a"'

async function contentOf(encoding: string, content: string, sizes?: readonly number[]): Promise<string> {
  const body = bodyOf(`${disposition}\r\nContent-Transfer-Encoding: ${encoding}`, content)
  return String((await read(body, sizes))[0]?.content)
}

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code

/** Looks like a delimiter, and is not. */
const lookalike = fc.constantFrom(
  '\r\n--',
  '\r\n',
  '\r\n-',
  '--b',
  '\n--b',
  '\r\r\n--',
  '--',
  '\r\n\r\n',
  '\r',
)
const content = fc
  .array(
    fc.oneof(
      lookalike.map(text => Buffer.from(text)),
      fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes)),
    ),
    { maxLength: 6 },
  )
  .map(pieces => Buffer.concat(pieces))
  .filter(bytes => !Buffer.concat([Buffer.from('\r\n'), bytes]).includes('\r\n--b'))
const form = fc.array(
  fc.record(
    {
      field: fc.constantFrom('a', 'question-1', 'é'),
      fileName: fc.constantFrom(undefined, '', 'cv.pdf', 'C:\\fakepath\\Zoë "1".pdf'),
      content,
    },
    { noNullPrototype: true },
  ),
  { maxLength: 4 },
)
const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 })

function written(parts: readonly Read[]): Buffer {
  const pieces = parts.flatMap(({ field, fileName, content }) => {
    const name = fileName === undefined ? '' : `; filename="${fileName.replaceAll('"', '%22')}"`
    return [`--b\r\nContent-Disposition: form-data; name="${field}"${name}\r\n\r\n`, content, '\r\n']
  })
  return Buffer.concat([...pieces, '--b--\r\n'].map(piece => Buffer.from(piece)))
}

test('a form is read as it was written, wherever it is split', async () => {
  await fc.assert(
    fc.asyncProperty(form, sizes, async (parts, cuts) => {
      assert.deepEqual(await read(written(parts), cuts), parts)
    }),
    { numRuns: times(100, 500) },
  )
})

test('a damaged form ends with its parts or with a problem, wherever it is split', async () => {
  const outcome = (body: Buffer, cuts?: readonly number[]) =>
    read(body, cuts).catch(error => {
      assert.ok(error instanceof Problem, error)
      return 'refused'
    })
  const damage = fc.record({
    at: fc.nat(400),
    remove: fc.nat(60),
    add: fc.oneof(fc.constantFrom('', '\r\n', '--b', '\r\n--b--', '\r\n\r\n', ':', '"', '\0'), fc.string()),
  })
  await fc.assert(
    fc.asyncProperty(form, damage, sizes, async (parts, { at, remove, add }, cuts) => {
      const body = written(parts)
      const damaged = Buffer.concat([body.subarray(0, at), Buffer.from(add), body.subarray(at + remove)])
      assert.deepEqual(await outcome(damaged, cuts), await outcome(damaged))
    }),
    { numRuns: times(100, 1_000) },
  )
})

test('a truncated form is never taken for a complete one', async () => {
  const body = written([
    { field: 'a', fileName: undefined, content: Buffer.from('1') },
    { field: 'b', fileName: 'cv.pdf', content: Buffer.from('2') },
  ])
  for (let length = 0; length < body.length - 2; length++) {
    await assert.rejects(read(body.subarray(0, length)), refused('bad-request'), `${length} bytes`)
  }
})

const damaged: Record<string, string> = {
  'a header without its blank line': `--b\r\n${disposition}\r\n--b--\r\n`,
  'a header without its blank line before another part': `--b\r\n${disposition}\r\n--b\r\n${disposition}\r\n\r\n1\r\n--b--`,
  'no header at all': '--b\r\n--b--\r\n',
  'only a blank line': '--b\r\n\r\n--b--\r\n',
  'a blank line that is the end of the delimiter': `--b\r\n${disposition}\r\n\r\n--b--\r\n`,
  'a delimiter that goes on': `--bc\r\n${disposition}\r\n\r\n1\r\n--b--\r\n`,
  'a header that is none': `--b\r\n${disposition}\r\nnothing\r\n\r\n1\r\n--b--\r\n`,
  'two names for one part': `--b\r\n${disposition}\r\n${disposition}\r\n\r\n1\r\n--b--\r\n`,
  'more headers than are read': `--b\r\nX: ${'y'.repeat(20_000)}\r\n${disposition}\r\n\r\n1\r\n--b--\r\n`,
  'a quote that does not end': '--b\r\nContent-Disposition: form-data; name="a\r\n\r\n1\r\n--b--\r\n',
}
for (const [what, body] of Object.entries(damaged)) {
  test(`${what} is refused`, async () => {
    await assert.rejects(read(Buffer.from(body)), refused('bad-request'))
    await assert.rejects(read(Buffer.from(body), [1]), refused('bad-request'))
  })
}

test('text before and after the form is bounded', async () => {
  for (const start of ['', bodyOf(disposition, 'x')]) {
    let pieces = 0
    async function* endless() {
      yield Buffer.from(start)
      for (; pieces < 1000; pieces++) yield Buffer.alloc(1000, 'x')
    }
    const readAll = async () => {
      for await (const { content } of readParts(endless(), type)) for await (const _ of content);
    }
    await assert.rejects(readAll(), refused('bad-request'))
    assert.ok(pieces < 20, `${pieces} pieces were read`)
  }
})

test('text before and after the form is skipped, and so are spaces after a delimiter', async () => {
  const body = Buffer.from(`preamble\r\n--b \t\r\n${disposition}\r\n\r\n1\r\n--b--\r\nepilogue\r\n--b`)
  for (const size of [1, 2, 1000]) assert.equal(String((await read(body, [size]))[0]?.content), '1')
})

const names: [parameters: string, fileName: string][] = [
  ['filename="cv.pdf"', 'cv.pdf'],
  ['filename=cv.pdf', 'cv.pdf'],
  ['FileName = my cv.pdf ', 'my cv.pdf'],
  ['filename="my %22best%22 cv.pdf"', 'my "best" cv.pdf'],
  ['filename="my \\"best\\" cv.pdf"', 'my "best" cv.pdf'],
  ['filename="100%25 Zoë.pdf"', '100%25 Zoë.pdf'],
  ['filename="C:\\Users\\me\\cv.pdf"', 'C:\\Users\\me\\cv.pdf'],
  ['filename="Zo_.pdf"; filename*=UTF-8\'\'Zo%C3%AB.pdf', 'Zoë.pdf'],
  ["filename*=iso-8859-1'en'Zo%EB.pdf", 'Zoë.pdf'],
]
for (const [parameters, fileName] of names) {
  test(`${parameters} is a file named ${fileName}`, async () => {
    const [part] = await read(bodyOf(`${disposition}; ${parameters}`, ''))
    assert.deepEqual([part?.field, part?.fileName], ['a', fileName])
  })
}

test('a file name may hold a line separator', async () => {
  const [part] = await read(bodyOf(`${disposition}; filename="a\u2028b.pdf"`, ''))
  assert.equal(part?.fileName, 'a\u2028b.pdf')
})

test('the name of a field keeps its percent signs: names of questions contain them', async () => {
  const headers = 'Content-Disposition: form-data;\r\n name="question-a%22b"'
  assert.equal((await read(bodyOf(headers, '')))[0]?.field, 'question-a%22b')
})

test('base64 and quoted-printable are decoded, wherever they are split', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 100 }), sizes, async (text, cuts) => {
      const base64 = Buffer.from(text).toString('base64').replaceAll(/.{20}/g, '$&\r\n')
      assert.equal(await contentOf('base64', base64, cuts), text)
      const escaped = [...Buffer.from(text)].map(byte => `=${byte.toString(16).padStart(2, '0')}`)
      assert.equal(await contentOf('Quoted-Printable', escaped.join('').toUpperCase(), cuts), text)
      assert.equal(await contentOf('quoted-printable', escaped.join('=\r\n'), cuts), text)
    }),
    { numRuns: 200 },
  )
  assert.equal(await contentOf('quoted-printable', 'Zo=C3=AB and=\r\n others'), 'Zoë and others')
})

test('unencoded parts pass unchanged, and other encodings are rejected', async () => {
  for (const encoding of ['7bit', '8bit', 'BINARY']) assert.equal(await contentOf(encoding, 'é=41'), 'é=41')
  for (const encoding of ['uuencode', 'gzip', '']) {
    await assert.rejects(contentOf(encoding, ''), refused('unsupported-media-type'), encoding)
  }
})

test('a part that breaks its own encoding is rejected', async () => {
  for (const text of ['Q', 'QQ', 'QQ=', 'QQ==QQ==', 'Q=Q=', 'Q===', 'Zoë!', '====']) {
    for (const size of [1, 1000])
      await assert.rejects(contentOf('base64', text, [size]), refused('bad-request'))
  }
  for (const text of ['=4', '=zz', '= 41', '=4', 'a=b']) {
    await assert.rejects(contentOf('quoted-printable', text), refused('bad-request'), text)
  }
})
