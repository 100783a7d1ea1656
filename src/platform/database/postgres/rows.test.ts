import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { sql } from 'kysely'
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts'
import { type OpenPool, openPool } from './pool.ts'
import { RowTaking } from './rows.ts'

function message(letter: string, content: string): Buffer {
  const head = Buffer.from(`${letter}....`)
  head.writeUInt32BE(4 + Buffer.byteLength(content), 1)
  return Buffer.concat([head, Buffer.from(content)])
}

test('rows are taken out and everything else goes to the driver, wherever the stream is split', () => {
  const before = Buffer.concat([message('D', 'a row for the driver'), message('Z', 'I')])
  const [head, first, notice, second, end] = [
    message('T', 'id, body'),
    message('D', 'first'),
    message('N', ''),
    message('D', 'second, and longer'),
    message('Z', 'I'),
  ]
  const answer = Buffer.concat([head, first, notice, second, message('D', ''), end])
  const later = Buffer.concat([message('D', 'another for the driver'), message('Z', 'I')])
  for (let size = 1; size <= answer.length; size++) {
    const driver: Buffer[] = []
    const taking = new RowTaking(bytes => driver.push(bytes))
    // Like a socket that reads into one buffer.
    const memory = Buffer.alloc(size)
    const receive = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += size) {
        taking.receive(memory.subarray(0, bytes.copy(memory, 0, at, at + size)))
      }
    }
    receive(before)
    taking.begin()
    receive(answer)
    assert.equal(String(taking.end()), 'firstsecond, and longer', `in pieces of ${size}`)
    receive(later)
    assert.deepEqual(Buffer.concat(driver), Buffer.concat([before, head, notice, end, later]))
  }
})

/** The texts of rows with one value each. */
function textsOf(rows: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < rows.length; ) {
    assert.equal(rows.readInt16BE(at), 1)
    const end = at + 6 + rows.readInt32BE(at + 2)
    texts.push(rows.toString('utf8', at + 6, end))
    at = end
  }
  return texts
}

interface Words {
  word: string
  count: number
  divisor: number
}

/** Reads so many rows that they arrive in several chunks; a divisor among the numbers makes it fail half-way. */
function readWords({ db, readRows }: OpenPool, { word, count, divisor }: Words) {
  const query = sql`select cast(${word} as text) || ' ' || n || ' ' || 0 / (n - cast(${divisor} as int))
        from generate_series(1, cast(${count} as int)) as n`
  return readRows(query.compile(db), textsOf)
}

const ways: Record<string, (url: string) => Promise<{ url: string; close(): void }>> = {
  'without TLS': async url => ({ url, close() {} }),
  'with TLS': startTlsProxy,
}

for (const [way, startProxy] of Object.entries(ways)) {
  describe(`rows as bytes, ${way}`, () => {
    let own: TestDatabase
    let proxy: Awaited<ReturnType<typeof startProxy>>
    let pool: OpenPool
    before(async () => {
      own = await createTestDatabase('postgres')
      proxy = await startProxy(String(own.settings['DATABASE_URL']))
      pool = openPool({
        url: proxy.url,
        of: 'reader',
        poolSize: 4,
        connectMs: 5_000,
        statementTimeoutMs: 30_000,
        lockWaitMs: 30_000,
        transactionIdleMs: 30_000,
        answerMarginMs: 30_000,
        connectionSeconds: 600,
        closeMs: 1_000,
        isPrepared: true,
        onBrokenConnection: () => {},
        onReach: () => {},
      })
    })
    after(async () => {
      await pool?.close()
      proxy?.close()
      await own?.remove()
    })

    const expected = (word: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${word} ${index + 1} 0`)

    test('concurrent reads each get their own rows', async () => {
      const asked = Array.from({ length: 12 }, async (_, index) => {
        const word = `Zoë ☃ ${index}`
        const count = (index * 6_997) % 30_000
        const texts = await readWords(pool, { word, count, divisor: 0 })
        assert.deepEqual(texts, expected(word, count))
        const { rows } = await sql<{ word: string }>`select cast(${word} as text) as word`.execute(pool.db)
        assert.equal(rows[0]?.word, word)
      })
      await Promise.all(asked)
    })

    test('a read that fails half-way rejects, and the connection stays usable', async () => {
      for (let round = 0; round < 5; round++) {
        await assert.rejects(readWords(pool, { word: 'half', count: 20_000, divisor: 10_000 }), {
          code: '22012',
        })
        assert.deepEqual(
          await readWords(pool, { word: 'whole', count: 10, divisor: 0 }),
          expected('whole', 10),
        )
        assert.deepEqual(await readWords(pool, { word: 'none', count: 0, divisor: 0 }), [])
      }
    })
  })
}

/** Accepts TLS in front of the test server, which listens on a socket file and so has none. */
async function startTlsProxy(url: string): Promise<{ url: string; close(): void }> {
  const address = new URL(url)
  const path = `${address.searchParams.get('host')}/.s.PGSQL.5432`
  const open = new Set<Socket>()
  const server = createServer(near => {
    open.add(near)
    near.on('error', () => {})
    near.once('data', () => {
      near.pause()
      near.write('S')
      const secure = new TLSSocket(near, { isServer: true, key, cert })
      const far = connect(path)
      secure.pipe(far).pipe(secure)
      for (const socket of [secure, far]) socket.on('error', () => {})
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://dossier@127.0.0.1:${(server.address() as AddressInfo).port}${address.pathname}?sslmode=no-verify`,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** Of a server that exists only in this file. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgM+ddgi7y6SeKAF91
ABk3ueEiKMBSF1jwyne8SmpgOluhRANCAAQU3agL+5Dx+esE0NnKlX1D0U9Ui3hk
P7eZoX3//JWY167KIZY6SgQgTrcSYKIo4HYvy5vR7A5ZIFkIlJlDYSIu
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUQrqirLMOhm3sfev1LZbslByKO4owCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTIyMDQzMFoYDzIxMjYxMDIy
MjIwNDMwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQU3agL+5Dx+esE0NnKlX1D0U9Ui3hkP7eZoX3//JWY167KIZY6SgQg
TrcSYKIo4HYvy5vR7A5ZIFkIlJlDYSIuo1MwUTAdBgNVHQ4EFgQUB6uy6YU3Lxi2
Dmr1mblyHqSs3q0wHwYDVR0jBBgwFoAUB6uy6YU3Lxi2Dmr1mblyHqSs3q0wDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAXdv7OSDnRq2q/w1xXwJx5
SqjdsMw3xe4eIYmkcdIU+gIgUL8jXyUxtpgnH4CoRmq6OaP3zXfn3IsFFGjUkPgd
g2Y=
-----END CERTIFICATE-----`
